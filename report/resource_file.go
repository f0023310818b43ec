package report

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// file returns the outcome for a file without resources. Its conflicts have no path.
func (b builder) file(f *pkgmerge.FileChange) *Resource {
	action := actionName(b.files.fileAction(f))
	r := &Resource{Subject: visible(f.Name), ActionLabel: action, Action: action, File: b.fileName(f.Name), file: f}
	if len(f.Conflicts) == 0 {
		return r
	}
	lines := newTextLines(b.files.data(f.Name))
	for _, conflict := range f.Conflicts {
		r.Conflicts = append(r.Conflicts, b.fileConflict(f, conflict, lines))
	}
	return r
}

// fileConflict returns one of its conflicts. lines are the lines of the file in the result.
func (b builder) fileConflict(f *pkgmerge.FileChange, conflict merge.Conflict, lines textLines) *Conflict {
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", File: b.fileName(f.Name)}
	end := b.conclude(out, conflict, b.files.isFileMarked(f))
	if !b.failed {
		out.Line = lines.find(conflict)
	}
	out.Message = visibleMessage(fileCollision(f, conflict, end) + "; " + end)
	shown := differing(conflict.Values)
	for side, n := range conflict.Values {
		out.Values[side] = newValue(withoutLastBreak(n), withoutLastBreak(shown[side]), !f.Secret)
	}
	rule := Rule{Name: f.Name, Prefer: otherSide(conflict.Chosen).String()}.Exact()
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

// withoutLastBreak returns a text without the line break at its end.
func withoutLastBreak(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	return yamlnode.String(strings.TrimSuffix(n.Value, "\n"))
}

// textLines are the numbers of the lines of a text, from 1, by their contents.
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

// find returns the line in the result at which the lines that a conflict chose begin
// (rules/reports: locations): of several matches the nearest to the line in the side, 0 if there is
// none.
func (t textLines) find(c merge.Conflict) int {
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

// Join combines the reports of a package and of its subpackages that were merged on their own.
func Join(reports ...*Report) *Report {
	all := &Report{Sides: sideNames(false)}
	var merged []*pkgmerge.Result
	for _, r := range reports {
		merged = append(merged, r.merged)
		all.Sides = r.Sides
		all.name, all.command = cmp.Or(all.name, r.name), cmp.Or(all.command, r.command)
		all.Steps = append(all.Steps, r.Steps...)
		all.Resources = append(all.Resources, r.Resources...)
		all.Notices = append(all.Notices, r.Notices...)
		all.absent = append(all.absent, r.absent...)
	}
	all.Summary = Summarize(merged...)
	return all
}

// sideNames returns the names of the three versions.
func sideNames(applies bool) [3]string {
	if applies {
		return [3]string{"last-applied", "config", "live"}
	}
	return [3]string{"origin", "upstream", "local"}
}
