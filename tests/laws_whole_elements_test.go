package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawWholeElements: where both sides added an element to a list without keys, each side of a marker has its element whole,
// also where their first or last lines are equal: without the lines of the markers no map has a field twice (rules/git: markers).
func TestLawWholeElements(t *testing.T) {
	marked := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		const file, head = "a.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: web\nspec:\n  rules:\n"
		was := drawRules(t, "origin", 1, 3, nil)
		at := rapid.IntRange(0, len(was)).Draw(t, "at")
		version := func(name string) map[string]string {
			added := drawRules(t, name, 1, 2, was)
			return map[string]string{file: head + strings.Join(slices.Insert(slices.Clone(was), at, added...), "") + "  last: 1\n"}
		}
		p := mergecheck.Package{Origin: map[string]string{file: head + strings.Join(was, "") + "  last: 1\n"}, Upstream: version("upstream"), Local: version("local")}
		for _, way := range []string{ways.Mark, ways.Driver} {
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if m.Unchecked != "" || !strings.Contains(m.Result[file], "<<<<<<<") {
					continue
				}
				marked[way]++
				if err := yaml.Unmarshal([]byte(withoutMarkers(m.Result[file])), &map[string]any{}); err != nil {
					t.Fatalf("%s: without markers: %v\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", way, err, p.Origin[file], p.Upstream[file], p.Local[file], m.Result[file])
				}
			}
		}
	})
	for _, way := range []string{ways.Mark, ways.Driver} {
		if marked[way] == 0 {
			t.Errorf("no markers: %s", way)
		}
	}
}

// drawRules draws different elements, which no other list has, whose lines are often equal.
func drawRules(t *rapid.T, name string, least, most int, others []string) (rules []string) {
	word := rapid.SampledFrom([]string{"a", "b", "c"})
	for range rapid.IntRange(least, most).Draw(t, name) {
		rule := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("  - groups:\n    - %s\n    resources:\n    - %s\n    verbs:\n    - %s\n", word.Draw(t, "group"), word.Draw(t, "resource"), word.Draw(t, "verb"))
		}).Filter(func(rule string) bool { return !slices.Contains(rules, rule) && !slices.Contains(others, rule) }).Draw(t, "rule")
		rules = append(rules, rule)
	}
	return rules
}

// withoutMarkers returns a text without the lines of its markers.
func withoutMarkers(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "<<<<<<<") && !strings.HasPrefix(line, "=======") && !strings.HasPrefix(line, ">>>>>>>") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestLawRepeatedKeys: in a list with a key that stands twice, changes of one side that no change of the other side touches are
// in the result under every policy and on each side of the markers (rules/lists: duplicate keys).
func TestLawRepeatedKeys(t *testing.T) {
	checked := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		const file = "a.yaml"
		names := []string{"FIRST", "DUP", "MIDDLE", "DUP", "LAST"}
		var values [3][]string
		changed := [3]map[int]bool{{}, {}, {}}
		for i := range names {
			was := fmt.Sprintf("o%d", i)
			for side := range values {
				value := was
				if side > 0 && rapid.Bool().Draw(t, "changes") {
					value, changed[side][i] = fmt.Sprintf("%c%d", "oul"[side], i), true
				}
				values[side] = append(values[side], value)
			}
		}
		var p mergecheck.Package
		for side, files := range [3]*map[string]string{&p.Origin, &p.Upstream, &p.Local} {
			text := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n    env:\n"
			for i, name := range names {
				text += fmt.Sprintf("    - name: %s\n      value: %s\n", name, values[side][i])
			}
			*files = map[string]string{file: text}
		}
		for _, way := range ways.All() {
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if m.Unchecked != "" {
					continue
				}
				checked[way]++
				for _, text := range bothSides(m.Result[file]) {
					for i := range names {
						for side, other := range map[int]int{1: 2, 2: 1} {
							from, to := i, i // the changes beside each other
							for changed[side][from-1] {
								from--
							}
							for changed[side][to+1] {
								to++
							}
							touches := false
							for near := from - 1; near <= to+1; near++ {
								touches = touches || changed[other][near]
							}
							if changed[side][i] && !touches && !strings.Contains(text, values[side][i]+"\n") {
								t.Fatalf("%s lacks %s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", way, values[side][i], p.Origin[file], p.Upstream[file], p.Local[file], m.Result[file])
							}
						}
					}
				}
			}
		}
	})
	for _, way := range ways.All() {
		if checked[way] == 0 {
			t.Errorf("did not occur: %s", way)
		}
	}
}
