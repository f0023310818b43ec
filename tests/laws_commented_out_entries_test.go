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

// listedEntry is an element of a keyed list, or a field of a map: its lines, with the comment above them.
type listedEntry struct {
	about, lines []string
	// reason are the lines that a side puts above the entry when it comments it out.
	reason []string
	// commented and removed say what a side made of it.
	commented, removed bool
	by                 int
}

// commentedEntries has the lists or maps of three versions, in which the sides commented out entries, and removed others.
type commentedEntries struct {
	above, margin, below string
	all                  []listedEntry
	added                []string // by upstream
}

// out returns the lines of the entry as the side that commented it out has them.
func (e listedEntry) out() (lines []string) {
	lines = append(append(lines, e.about...), e.reason...)
	for i, line := range e.lines {
		mark := "# "
		if i == 0 && len(e.about) > 0 {
			mark = "#" // another way of people
		}
		lines = append(lines, mark+line)
	}
	return lines
}

func (l commentedEntries) text(side int) string {
	lines := []string{}
	for _, e := range l.all {
		switch {
		case side == e.by && e.commented:
			lines = append(lines, e.out()...)
		case side == e.by && e.removed:
		default:
			lines = append(append(lines, e.about...), e.lines...)
		}
	}
	if side == 1 {
		lines = append(lines, l.added...)
	}
	text := l.above
	for _, line := range lines {
		text += l.margin + line + "\n"
	}
	return text + l.below
}

func drawCommentedEntries(t *rapid.T) commentedEntries {
	const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n"
	const kustomization, pod = "kind: Kustomization\nresources:\n", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n    env:\n"
	l := rapid.SampledFrom([]commentedEntries{
		{above: kustomization, below: "namespace: web\n"},
		{above: kustomization, margin: "  "},
		{above: kustomization, margin: "  ", below: "namespace: web\n"},
		{above: pod, margin: "    "},
		{above: pod, margin: "    ", below: "    tty: true\n"},
		{above: pod, margin: "    ", below: "  hostNetwork: true\n"},
		{above: pod, margin: "      ", below: "    tty: true\n"},
		{above: settings, margin: "  "},
		{above: settings, margin: "  ", below: "immutable: true\n"},
		{above: "a: 1\n"},
		{above: "a: 1\n", below: "---\nb: 1\n"},
	}).Draw(t, "form")
	line := func(name string) []string {
		switch l.above {
		case kustomization:
			return []string{"- ../" + name}
		case pod:
			return []string{"- name: " + name, "  value: of " + name}
		case settings:
			return []string{name + ": of " + name}
		}
		return []string{name + ":", "  b: of " + name, "  c:", "  - of " + name}
	}
	for i := range rapid.IntRange(2, 6).Draw(t, "entries") {
		e := listedEntry{lines: line(fmt.Sprint("one", i)), by: rapid.IntRange(1, 2).Draw(t, "by")}
		if rapid.IntRange(0, 3).Draw(t, "about") == 0 {
			e.about = []string{fmt.Sprintf("# About %d.", i)}
		}
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			e.commented = true
			for j := range rapid.IntRange(0, 2).Draw(t, "reason") {
				e.reason = append(e.reason, fmt.Sprintf("# Not here, reason %d of %d.", j, i))
			}
		case 1:
			e.removed = true
		}
		l.all = append(l.all, e)
	}
	isCommented := func(e listedEntry) bool { return e.commented && e.by == 1 }
	if !slices.ContainsFunc(l.all, isCommented) && rapid.Bool().Draw(t, "added") { // else its comments may go above the addition
		l.added = line("more")
	}
	return l
}

// TestLawCommentedOutEntries: what a side wrote in the place of an entry that it commented out stays in that place of the list or map, in
// its column, whatever the other side makes of the entries around it (rules/comments-and-text: commented-out entries).
func TestLawCommentedOutEntries(t *testing.T) {
	tally := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		l := drawCommentedEntries(t)
		p := mergecheck.Package{}
		for side, files := range [3]*map[string]string{&p.Origin, &p.Upstream, &p.Local} {
			*files = map[string]string{"kustomization.yaml": l.text(side)}
		}
		if !slices.ContainsFunc(l.all, func(e listedEntry) bool { return !e.commented && !e.removed }) {
			return // an empty list or map has no place
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
				if fault := l.fault(m.Result["kustomization.yaml"]); fault != "" {
					t.Fatalf("%s: %s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", way, fault,
						l.text(0), l.text(1), l.text(2), m.Result["kustomization.yaml"])
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
				if is, was := second[0].Result["kustomization.yaml"], m.Result["kustomization.yaml"]; second[0].Unchecked == "" && is != was {
					t.Fatalf("%s: the second merge makes\n%s--- of the first one's\n%s--- origin\n%s--- upstream\n%s", way, is, was, l.text(0), l.text(1))
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

// fault returns what is wrong with a result, "" if nothing is: without the addition it has to be origin with the changes of both.
func (l commentedEntries) fault(text string) string {
	want := l.above
	for _, e := range l.all {
		lines := slices.Concat(e.about, e.lines)
		switch {
		case e.removed:
			continue
		case e.commented:
			lines = e.out()
		}
		for _, line := range lines {
			want += l.margin + line + "\n"
		}
	}
	want += l.below
	added := ""
	for _, line := range l.added {
		added += l.margin + line + "\n"
	}
	if !strings.Contains(text, added) {
		return "lacks\n" + added
	}
	if strings.Replace(text, added, "", 1) != want {
		return "want, but for the addition,\n" + want
	}
	return ""
}
