package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawAddedOnce: what both sides added is in no result more often than a side has it, in any way out and on each side of
// its markers; and if both sides added it in one place, and nothing else there, it collides with nothing
// (rules/laws: added once).
func TestLawAddedOnce(t *testing.T) {
	tally := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(formsOfSequences()).Draw(t, "form")
		v, added, together := drawAdditions(t, form)
		p := mergecheck.Package{}
		for side, files := range [3]*map[string]string{&p.Origin, &p.Upstream, &p.Local} {
			*files = map[string]string{form.file: form.write(v[side])}
		}
		for _, way := range ways.All() {
			if way == ways.Driver && form.isText {
				continue // git's own merge
			}
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if m.Unchecked != "" {
					tally[way+": "+m.Unchecked]++
					continue
				}
				tally[way]++
				show := func() string {
					return fmt.Sprintf("%s as %s, %d conflicts\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s",
						way, form.name, m.Named, p.Origin[form.file], p.Upstream[form.file], p.Local[form.file], m.Result[form.file])
				}
				for _, text := range bothSides(m.Result[form.file]) {
					for _, one := range added {
						if n, most := countWord(text, one), max(countWord(p.Upstream[form.file], one), countWord(p.Local[form.file], one)); n > most {
							t.Fatalf("%s is there %d times\n%s", one, n, show())
						}
					}
				}
				if together && m.Named > 0 {
					t.Fatalf("one addition of both collides\n%s", show())
				}
			}
		}
	})
	for _, way := range ways.All() {
		if tally[way] == 0 {
			t.Errorf("did not occur: %s", way)
		}
	}
}

// TestLawAddedOnceInFiles: a resource that both sides added is in the result once, in whatever files they have it; and if the
// two differ, the difference is named (rules/laws: added once).
func TestLawAddedOnceInFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"ConfigMap", "Deployment", "Thing"}).Draw(t, "kind")
		document := func(name, value string) string {
			return "apiVersion: example.com/v1\nkind: " + kind + "\nmetadata:\n  name: " + name + "\n  namespace: prod\nspec:\n  value: " + value + "\n"
		}
		file := rapid.SampledFrom([]string{"new.yaml", "base.yaml", "moved/new2.yaml", "moved/base.yaml", "a/b/c.yaml"})
		add := func(label, value string) map[string]string {
			name := file.Draw(t, label)
			files := map[string]string{"base.yaml": document("base", "1")}
			if text, found := files[name]; found {
				files[name] = text + "---\n" + document("new", value)
			} else {
				files[name] = document("new", value)
			}
			return files
		}
		other := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value")
		p := mergecheck.Package{Origin: map[string]string{"base.yaml": document("base", "1")}, Upstream: add("upstream", "1"), Local: add("local", other)}
		for _, way := range ways.All() {
			if way == ways.Driver {
				continue // one file at a time
			}
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, text := range all[0].Result {
				n += strings.Count(text, "name: new\n")
			}
			if all[0].Unchecked != "" || n != 1 || (all[0].Named > 0) != (other != "1") {
				t.Fatalf("%s: %d times, %d conflicts, %s\n%v\n%v\n%v", way, n, all[0].Named, all[0].Unchecked, p.Upstream, p.Local, all[0].Result)
			}
		}
	})
}

// sequenceForm writes a sequence of words as a file of some kind. A word that begins with "-" is filler, which may come
// more often, such as an empty line; a form without filler drops it.
type sequenceForm struct {
	name, file string
	write      func(words []string) string
	isText     bool // has no fields: git merges it without the driver, or the driver leaves it to git
}

// formsOfSequences are the forms in which a sequence may stand: lines of a text, a template, a string; elements of a list
// without keys, of one with keys; entries of a map; and documents.
func formsOfSequences() []sequenceForm {
	lines := func(indent string) func([]string) string {
		return func(words []string) string {
			var b strings.Builder
			for _, w := range words {
				if strings.HasPrefix(w, "-") {
					b.WriteString("\n")
				} else {
					b.WriteString(indent + "echo " + w + "\n")
				}
			}
			return b.String()
		}
	}
	each := func(format string) func([]string) string {
		return func(words []string) string {
			var b strings.Builder
			for _, w := range words {
				if !strings.HasPrefix(w, "-") {
					b.WriteString(strings.ReplaceAll(format, "WORD", w))
				}
			}
			return b.String()
		}
	}
	below := func(head string, write func([]string) string) func([]string) string {
		return func(words []string) string { return head + write(words) }
	}
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  first: \"1\"\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n"
	return []sequenceForm{
		{"a text", "run.sh", below("#!/bin/sh\n", lines("")), true},
		{"a template", "a.yaml", below("{{- if .Values.web }}\n", lines("  ")), true},
		{"a string", "a.yaml", below(configMap+"  run: |\n    set -e\n", lines("    ")), false},
		{"a list without keys", "a.yaml", below(pod+"    args:\n    - --first\n", func(words []string) string {
			return strings.ReplaceAll(each("    - WORD\n")(words), "- x", "- --x")
		}), false},
		{"a list without keys in a custom resource", "a.yaml", below("apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: web\nspec:\n  steps:\n  - [first]\n", each("  - [WORD, on]\n")), false},
		{"a list with keys", "a.yaml", below(pod+"    env:\n    - name: FIRST\n      value: \"1\"\n", each("    - name: WORD\n      value: on\n")), false},
		{"a set", "a.yaml", below("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- first.yaml\n", each("- WORD\n")), false},
		{"a map", "a.yaml", below(configMap, each("  WORD: on\n")), false},
		{"a map of maps", "values.yaml", below("first: 1\n", each("WORD:\n  on: true\n")), false},
		{"documents", "a.yaml", below(configMap, each("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: WORD\n")), false},
	}
}

// drawAdditions draws three versions of a sequence: both sides add the same words, in one place or in two, and each side
// makes changes of its own, in other places or there. together reports whether the additions stand in one place and each
// side's own changes in others, with words between them that no side touched.
func drawAdditions(t *rapid.T, form sequenceForm) (versions [3][]string, added []string, together bool) {
	o := []string{}
	for i := range rapid.IntRange(2, 9).Draw(t, "words") {
		if rapid.IntRange(0, 2).Draw(t, "filler") == 0 {
			o = append(o, "-")
		}
		o = append(o, fmt.Sprintf("x%da", i))
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "added") {
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "filler in it") == 0 {
			added = append(added, "-")
		}
		added = append(added, fmt.Sprintf("x%db", i))
	}
	if rapid.Bool().Draw(t, "filler after it") {
		added = append(added, "-")
	}
	at := [3]int{}
	at[1] = rapid.IntRange(0, len(o)).Draw(t, "place")
	at[2] = at[1]
	if together = rapid.IntRange(0, 2).Draw(t, "together") > 0; !together {
		at[2] = rapid.IntRange(0, len(o)).Draw(t, "other place")
		together = false
	}
	versions[0] = o
	for side := 1; side <= 2; side++ {
		var out []string
		for i := 0; i <= len(o); i++ {
			if i == at[side] {
				out = append(out, added...)
			}
			if i == len(o) {
				break
			}
			isNear := i >= min(at[1], at[2])-4 && i <= max(at[1], at[2])+3
			kind := rapid.IntRange(0, 11).Draw(t, "change")
			switch {
			case kind > 2 || strings.HasPrefix(o[i], "-"), i%6 != 3*side-3, together && isNear:
				out = append(out, o[i])
			case kind == 0: // removed
			case kind == 1:
				out = append(out, fmt.Sprintf("x%dc%d", i, side), o[i])
			default:
				out = append(out, fmt.Sprintf("x%dd%d", i, side))
			}
		}
		versions[side] = out
	}
	return versions, slices.DeleteFunc(slices.Clone(added), func(w string) bool { return w == "-" }), together
}

// bothSides returns a text with our side of each marker, and with theirs.
func bothSides(text string) (out [2]string) {
	in := [2]bool{true, true}
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			in[1] = false
		case strings.HasPrefix(line, "======="):
			in = [2]bool{false, true}
		case strings.HasPrefix(line, ">>>>>>> "):
			in[0] = true
		default:
			for side := range out {
				if in[side] {
					out[side] += line
				}
			}
		}
	}
	return out
}

// countWord counts a word in a text.
func countWord(text, word string) int {
	return len(slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n:[],-\"", r) }), func(w string) bool { return w != word }))
}
