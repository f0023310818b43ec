package tests

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// placedForm is the text around a list without keys, and the fields of its elements: the first one tells them apart.
type placedForm struct {
	head   string
	fields []string
}

func placedForms() []placedForm {
	return []placedForm{
		{"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: # kpt-merge: /x\n  name: x\nspec:\n  groups:\n  - name: web\n    rules:\n",
			[]string{"    - alert: %s\n", "      expr: up%s == 0\n", "      for: %sm\n", "      labels:\n        severity: %s\n", "        team: %s\n", "        slo: %s\n"}},
		{"version: 2\nupdates:\n",
			[]string{"- package-ecosystem: %s\n", "  directory: /%s\n", "  schedule:\n    interval: %s\n", "  labels:\n  - team-%s\n", "  target-branch: b%s\n", "  milestone: %s\n"}},
		{"apiVersion: example.com/v1\nkind: Shop\nmetadata: # kpt-merge: /x\n  name: x\nspec:\n  counters:\n",
			[]string{"  - till: %s\n", "    clerk: %s\n", "    opens: %s\n", "    closes: %s\n", "    floor: %s\n", "    colour: %s\n"}},
	}
}

// write returns the text with a value for each field of each element.
func (f placedForm) write(elements [][]string) string {
	out := f.head
	for _, values := range elements {
		for i, field := range f.fields {
			out += fmt.Sprintf(field, values[i])
		}
	}
	return out
}

// TestLawInPlace checks that elements which both sides changed in their place, each other fields of them, merge as maps in every
// way out, and merged again are the same; and that one that a side replaced by another thing gets nothing of the other side's
// (rules/schemas: inference).
func TestLawInPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(placedForms()).Draw(t, "form")
		replaced := rapid.Bool().Draw(t, "replaced")
		var versions [4][][]string // the last one is the expected result
		for i := range rapid.IntRange(1, 4).Draw(t, "elements") {
			var values [4][]string
			most := 2
			for at := range f.fields {
				for side := range values {
					values[side] = append(values[side], fmt.Sprintf("v%d%d", i, at))
				}
				by := rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "by")
				if at == 0 || replaced || by == 0 || most == 0 {
					continue
				}
				most--
				values[by][at] += "abc"[by : by+1]
				values[3][at] = values[by][at]
			}
			for side, of := range values {
				versions[side] = append(versions[side], of)
			}
		}
		if replaced { // the first element, but for one field of upstream's change
			for at := range f.fields[1:] {
				versions[2][0][at+1] += "c"
			}
			versions[1][0][len(f.fields)-1] += "b"
			versions[2][0][len(f.fields)-1] = versions[0][0][len(f.fields)-1]
		}
		if rapid.Bool().Draw(t, "swapped") {
			versions[1], versions[2] = versions[2], versions[1]
		}
		p := mergecheck.Package{Origin: map[string]string{lawFile: f.write(versions[0])}, Upstream: map[string]string{lawFile: f.write(versions[1])}, Local: map[string]string{lawFile: f.write(versions[2])}}
		for _, way := range ways.All() {
			m := mergeOne(t, way, p)
			got := m.Result[lawFile]
			switch {
			case m.Unchecked != "" || m.ByLines:
			case !replaced && (got != f.write(versions[3]) || conflicts(m) > 0):
				t.Fatalf("%s: %d conflicts, want\n%s%s", way, conflicts(m), f.write(versions[3]), show(m.Package))
			case !replaced && way != ways.Driver:
				again := p
				again.Local = m.Result
				if second := mergeOne(t, way, again); second.Result[lawFile] != got || conflicts(second) > 0 {
					t.Fatalf("%s: merged again it is\n%s%s", way, second.Result[lawFile], show(m.Package))
				}
			case replaced:
				for _, text := range bothSides(got) {
					if way != "union" && strings.Contains(text, "5b\n") && strings.Contains(text, "4c\n") {
						t.Fatalf("%s: an element has fields of two things\n%s", way, show(m.Package))
					}
				}
			}
		}
	})
}
