package report

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// file is what became of a file without resources. Its conflicts have no path.
func (b builder) file(f *pkgmerge.FileChange) *Resource {
	r := &Resource{Subject: visible(f.Name), Word: actionName(f.Action), Action: actionName(f.Action), File: b.named(f.Name), file: f}
	for _, conflict := range f.Conflicts {
		r.Conflicts = append(r.Conflicts, b.fileConflict(f, conflict))
	}
	return r
}

func (b builder) fileConflict(f *pkgmerge.FileChange, conflict merge.Conflict) *Conflict {
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", File: b.named(f.Name)}
	end := b.end(out, conflict, b.files.marksIn(f))
	if !b.failed {
		out.Line = lineOfConflict(b.files[f.Name], conflict)
	}
	out.Message = sentenceOf(fileCollision(f, conflict, end) + "; " + end)
	for side, n := range conflict.Values {
		out.Values[side] = newValue(withoutLastBreak(n), !f.Secret)
	}
	rule := Rule{Name: literal(f.Name), Prefer: otherSide(conflict.Chosen).String()}
	switch {
	case conflict.Kind != merge.LocalDeleted: // a deletion of local's stands (design 3.8)
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

// lineOfConflict is where the lines stand in the result that a conflict chose: of several
// such places the nearest to where the side has them. It is 0 if there are none.
func lineOfConflict(data []byte, c merge.Conflict) int {
	n := c.Values[c.Chosen]
	if n == nil || n.Line == 0 {
		return 0
	}
	best, line := 0, 1
	lines := bytes.SplitAfter(data, []byte("\n"))
	first, _, _ := bytes.Cut([]byte(n.Value), []byte("\n"))
	for _, text := range lines {
		if bytes.Equal(bytes.TrimRight(text, "\r\n"), bytes.TrimRight(first, "\r")) && (best == 0 || distance(line, n.Line) < distance(best, n.Line)) {
			best = line
		}
		line++
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }
