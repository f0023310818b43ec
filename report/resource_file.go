package report

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// file is what became of a file without resources. Its conflicts have no path.
func (b builder) file(f *pkgmerge.FileChange) *Resource {
	r := &Resource{Subject: visible(f.Name), Word: actionName(f.Action), Action: actionName(f.Action), File: b.named(f.Name), file: f}
	if len(f.Conflicts) == 0 {
		return r
	}
	lines := newTextLines(b.files[f.Name])
	for _, conflict := range f.Conflicts {
		r.Conflicts = append(r.Conflicts, b.fileConflict(f, conflict, lines))
	}
	return r
}

// fileConflict is one of them. lines are those of the file in the result.
func (b builder) fileConflict(f *pkgmerge.FileChange, conflict merge.Conflict, lines textLines) *Conflict {
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", File: b.named(f.Name)}
	end := b.end(out, conflict, b.files.marksIn(f))
	if !b.failed {
		out.Line = lines.of(conflict)
	}
	out.Message = sentenceOf(fileCollision(f, conflict, end) + "; " + end)
	for side, n := range conflict.Values {
		out.Values[side] = newValue(withoutLastBreak(n), !f.Secret)
	}
	rule := Rule{Name: literal(f.Name), Prefer: otherSide(conflict.Chosen).String()}
	switch {
	case conflict.Kind != merge.LocalDeleted: // a deletion of local's stands (rules/resources: additions and deletions)
		out.Rule = &rule
	case f.Fails():
		rule.Prefer = conflict.Chosen.String()
		out.Rule = &rule
	}
	if f.Fails() {
		out.Severity = "error"
	}
	return out
}

// withoutLastBreak is a text without the line break at its end.
func withoutLastBreak(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	return yamlnode.String(strings.TrimSuffix(n.Value, "\n"))
}

// textLines are the numbers of the lines of a text, from 1, by what they say.
type textLines map[string][]int

func newTextLines(data []byte) textLines {
	out, line := textLines{}, 0
	for text := range bytes.SplitSeq(data, []byte("\n")) {
		line++
		key := string(bytes.TrimRight(text, "\r\n"))
		out[key] = append(out[key], line)
	}
	return out
}

// of is where the lines stand in the result that a conflict chose (rules/reports: locations):
// of several such places the nearest to where the side has them. It is 0 if there are none.
func (t textLines) of(c merge.Conflict) int {
	n := c.Values[c.Chosen]
	if n == nil || n.Line == 0 {
		return 0
	}
	first, _, _ := strings.Cut(n.Value, "\n")
	lines := t[strings.TrimRight(first, "\r")]
	at, _ := slices.BinarySearch(lines, n.Line)
	switch {
	case len(lines) == 0:
		return 0
	case at == len(lines) || at > 0 && n.Line-lines[at-1] <= lines[at]-n.Line:
		at--
	}
	return lines[at]
}

// Join is one report of several: of a package and of its subpackages that were merged
// on their own.
func Join(reports ...*Report) *Report {
	all := &Report{Sides: sideNames(false)}
	var merged []*pkgmerge.Result
	for _, r := range reports {
		merged = append(merged, r.merged)
		all.Sides = r.Sides
		all.Steps = append(all.Steps, r.Steps...)
		all.Resources = append(all.Resources, r.Resources...)
		all.Notices = append(all.Notices, r.Notices...)
		all.away = append(all.away, r.away...)
	}
	all.Summary = newCounts(merged...).numbers()
	return all
}

// sideNames are what the three versions are called.
func sideNames(applies bool) [3]string {
	if applies {
		return [3]string{"last-applied", "config", "live"}
	}
	return [3]string{"origin", "upstream", "local"}
}
