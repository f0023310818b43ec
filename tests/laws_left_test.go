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

// leftEntry is a field or an element with the comment above it. A removed one is its comment alone, and a commented-out one
// has its line below that.
type leftEntry struct {
	about          []string
	name           string
	removed, shown bool
}

// leftForm is the text around entries, and that of an entry.
type leftForm struct{ head, entry, changed, below string }

func leftForms() []leftForm {
	kustomization := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: # kpt-merge: /x\n  name: x\nresources:\n"
	shop := "apiVersion: example.com/v1\nkind: Shop\nmetadata: # kpt-merge: /x\n  name: x\nspec:\n"
	pod := "apiVersion: v1\nkind: Pod\nmetadata: # kpt-merge: /x\n  name: x\nspec:\n  containers:\n"
	return []leftForm{
		{kustomization, "- %s\n", "", ""},
		{kustomization, "- %s\n", "", "namePrefix: x-\n"},
		{kustomization, "  - %s\n", "", ""},
		{shop, "  %s: 1\n", "  %s: 2\n", ""},
		{shop, "  %s: 1\n", "  %s: 2\n", "status: {}\n"},
		{pod, "  - name: %[1]s\n    image: %[1]s:1\n", "  - name: %[1]s\n    image: %[1]s:2\n", ""},
		{pod, "  - name: %[1]s\n    image: %[1]s:1\n", "  - name: %[1]s\n    image: %[1]s:2\n", "  nodeName: x\n"},
	}
}

func (f leftForm) write(entries []leftEntry, changed int) string {
	out := f.head
	indent := f.entry[:strings.IndexAny(f.entry, "-%")]
	for i, e := range entries {
		for _, line := range e.about {
			out += indent + "# " + line + "\n"
		}
		entry := fmt.Sprintf(f.entry, e.name)
		if i == changed {
			entry = fmt.Sprintf(f.changed, e.name)
		}
		switch {
		case !e.removed:
			out += entry
		case e.shown:
			for line := range strings.Lines(entry) {
				out += indent + "# " + strings.TrimPrefix(line, indent)
			}
		}
	}
	return out + f.below
}

// TestLawLeftComments checks that the comment above an entry which one side removed or commented out, and left the comment,
// stands in every result, and on both sides of each marker, as the other side rewrote it, and not as origin has it, directly above the
// entry where a conflict keeps that (rules/comments-and-text: comments that a side left), and that merging again changes nothing.
func TestLawLeftComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(leftForms()).Draw(t, "form")
		var was []leftEntry
		for i := range rapid.IntRange(2, 4).Draw(t, "entries") {
			e := leftEntry{name: fmt.Sprint("entry", i)}
			if rapid.Bool().Draw(t, "header") {
				e.about = []string{"Optional."}
			}
			for j := range rapid.IntRange(0, 2).Draw(t, "lines") {
				e.about = append(e.about, fmt.Sprintf("Line %d is about %s.", j, e.name))
			}
			was = append(was, e)
		}
		at := rapid.IntRange(0, len(was)-1).Draw(t, "at")
		was[at].about = append(was[at].about, "It is removed.")
		left, rewritten := slices.Clone(was), slices.Clone(was)
		left[at].removed, left[at].shown = true, rapid.Bool().Draw(t, "commented out")
		rewritten[at].about = slices.Clone(was[at].about)
		changed, last, gone := -1, "It stays for the audit.", "It is removed."
		if f.changed != "" && rapid.Bool().Draw(t, "changed") {
			changed = at
		}
		switch how := rapid.SampledFrom([]string{"replaced", "longer", "as it was"}).Draw(t, "rewritten"); {
		case how == "longer":
			rewritten[at].about, gone = append(rewritten[at].about, last), ""
		case how == "as it was" && changed == at:
			last, gone = gone, ""
		default:
			rewritten[at].about[len(was[at].about)-1] = last
		}
		if rapid.Bool().Draw(t, "more") {
			more := rapid.IntRange(0, len(was)).Draw(t, "more at")
			rewritten = slices.Insert(rewritten, more, leftEntry{name: "more"})
			if more <= changed {
				changed++
			}
		}
		texts := [3]string{f.write(was, -1), f.write(left, -1), f.write(rewritten, changed)}
		if rapid.Bool().Draw(t, "local leaves") {
			texts[1], texts[2] = texts[2], texts[1]
		}
		p := mergecheck.Package{Origin: map[string]string{lawFile: texts[0]}, Upstream: map[string]string{lawFile: texts[1]}, Local: map[string]string{lawFile: texts[2]}}
		for _, way := range []string{"upstream", "local", "union", ways.Mark, ways.Newest, ways.Driver} {
			first := mergeOne(t, way, p)
			if first.Unchecked != "" || first.ByLines {
				continue
			}
			for _, text := range bothSides(first.Result[lawFile]) {
				if strings.Count(text, last) != 1 || gone != "" && strings.Contains(text, gone) {
					t.Fatalf("%s: the comment is not as it was rewritten\n%s", way, show(first.Package))
				}
				line, _, _ := strings.Cut(fmt.Sprintf(f.entry, was[at].name), "\n")
				if above, _, kept := strings.Cut(text, "\n"+strings.TrimSuffix(line, " 1")); kept && !strings.HasSuffix(above, last) {
					t.Fatalf("%s: the comment is not above %s\n%s%s", way, line, text, show(p))
				}
			}
			if way == ways.Driver || strings.Contains(first.Result[lawFile], "<<<<<<<") {
				continue
			}
			again := p
			again.Local = first.Result
			if second := mergeOne(t, way, again); second.Result[lawFile] != first.Result[lawFile] {
				t.Fatalf("%s: merged again it is\n%s%s", way, second.Result[lawFile], show(first.Package))
			}
		}
	})
}
