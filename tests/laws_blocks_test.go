package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// blockField is a field with the comment above it, and the block of comments below its line that is indented deeper.
type blockField struct {
	name, value string
	about       bool
	block       []string
	// apart reports whether an empty line is above it.
	apart bool
}

// lines returns the lines of the field from its key on, in a column.
func (f blockField) lines(margin string) string {
	text := strings.TrimRight(margin+f.name+": "+f.value, " ") + "\n"
	for _, line := range f.block {
		if line != "" {
			line = margin + "  # " + line
		}
		text += line + "\n"
	}
	return text
}

// blockMap is a map with such fields, between the lines above and below it.
type blockMap struct {
	above, margin, below string
	fields               []blockField
}

func (m blockMap) text() string {
	var b strings.Builder
	b.WriteString(m.above)
	for i, f := range m.fields {
		if f.apart && i > 0 {
			b.WriteString("\n")
		}
		if f.about {
			b.WriteString(m.margin + "# About " + f.name + ".\n")
		}
		b.WriteString(f.lines(m.margin))
	}
	b.WriteString(m.below)
	return b.String()
}

// drawBlock draws the block of a field, or none.
func drawBlock(t *rapid.T, name string) []string {
	block := []string{}
	for i := range rapid.IntRange(0, 3).Draw(t, "lines") {
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "empty line") == 0 {
			block = append(block, "")
		}
		block = append(block, fmt.Sprintf("%s%d: of %s", strings.Repeat("  ", i%2), i, name))
	}
	return block
}

func drawBlockField(t *rapid.T, name string) blockField {
	f := blockField{name: name, value: drawBlockValue(t), about: rapid.IntRange(0, 3).Draw(t, "about") == 0, apart: rapid.IntRange(0, 3).Draw(t, "apart") == 0}
	f.block = drawBlock(t, name)
	return f
}

func drawBlockValue(t *rapid.T) string {
	return rapid.SampledFrom([]string{"{}", "[]", "", "x", `"y"`, "{a: 1}", "[b]"}).Draw(t, "value")
}

// blockVersions are three versions of a map, and the fields that the result has: each side changes other fields, or other
// parts of a field.
type blockVersions struct {
	sides [3]blockMap
	want  map[string]blockField
}

func drawBlockVersions(t *rapid.T) blockVersions {
	const head = "apiVersion: example.com/v1\nkind: Shop\nmetadata: # kpt-merge: /web\n  name: web\n"
	form := rapid.SampledFrom([]blockMap{
		{above: head},
		{above: head + "spec:\n", margin: "  "},
		{above: head + "spec:\n", margin: "  ", below: "status: {}\n"},
		{above: head + "spec:\n  containers:\n  - name: web\n", margin: "    ", below: "  - name: other\n"},
	}).Draw(t, "form")
	v := blockVersions{sides: [3]blockMap{form, form, form}, want: map[string]blockField{}}
	keep := func(f blockField, sides ...int) {
		for _, side := range sides {
			v.sides[side].fields = append(v.sides[side].fields, f)
		}
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "fields") {
		f := drawBlockField(t, fmt.Sprint("field", i))
		by := rapid.IntRange(1, 2).Draw(t, "by")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			keep(f, by) // added
		case 1:
			keep(f, 0, 3-by) // removed
			continue
		case 2:
			is := f
			is.value = drawBlockValue(t)
			keep(is, by)
			other := f
			if rapid.Bool().Draw(t, "block too") {
				other.block = drawBlock(t, f.name+" of another")
			}
			keep(f, 0)
			keep(other, 3-by)
			f.value, f.block = is.value, other.block
		case 3:
			is := f
			is.block = drawBlock(t, f.name+" too")
			keep(is, by)
			keep(f, 0, 3-by)
			f = is
		default:
			keep(f, 0, 1, 2)
		}
		v.want[f.name] = f
	}
	return v
}

// TestLawBlocks: a block of comments that is indented deeper than the key above it belongs to that field. Whatever becomes
// of the fields around it, it stands directly below the field's line with its indentation, it comes and goes with the field,
// and it merges as a text of the field's (rules/comments-and-text: owners of comments).
func TestLawBlocks(t *testing.T) {
	tally := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		v := drawBlockVersions(t)
		p := mergecheck.Package{}
		for side, files := range [3]*map[string]string{&p.Origin, &p.Upstream, &p.Local} {
			*files = map[string]string{"a.yaml": v.sides[side].text()}
		}
		for _, way := range ways.All() {
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if m.Unchecked != "" || m.Named > 0 {
					tally[way+": unchecked"]++
					continue
				}
				tally[way]++
				text := m.Result["a.yaml"]
				if fault := v.fault(text); fault != "" {
					t.Fatalf("%s: %s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", way, fault,
						p.Origin["a.yaml"], p.Upstream["a.yaml"], p.Local["a.yaml"], text)
				}
				if way == ways.Driver {
					continue // git never has the result of an earlier merge as one side
				}
				again := p
				again.Local = m.Result
				second, err := ways.Merge(t.Context(), way, again)
				if err != nil {
					t.Fatal(err)
				}
				if is := second[0].Result["a.yaml"]; second[0].Unchecked == "" && is != text {
					t.Fatalf("%s: the second merge makes\n%s--- of the first one's\n%s--- origin\n%s--- upstream\n%s", way, is, text, p.Origin["a.yaml"], p.Upstream["a.yaml"])
				}
			}
		}
	})
	t.Log(tally)
	for _, way := range ways.All() {
		if tally[way] == 0 {
			t.Errorf("did not occur: %s", way)
		}
	}
}

// fault returns what is wrong with the blocks of a result, "" if nothing is.
func (v blockVersions) fault(text string) string {
	lines := strings.Count(text, " of field")
	for _, name := range slices.Sorted(maps.Keys(v.want)) {
		f := v.want[name]
		own := f.lines(v.sides[0].margin)
		_, below, found := strings.Cut("\n"+text, "\n"+own)
		if !found {
			return "lacks\n" + own
		}
		if next := strings.TrimPrefix(below, v.sides[0].margin); strings.HasPrefix(next, " ") && strings.HasPrefix(strings.TrimSpace(next), "#") {
			return "has more below\n" + own
		}
		lines -= strings.Count(own, " of field")
	}
	if lines != 0 {
		return "has a line of a block elsewhere"
	}
	return ""
}
