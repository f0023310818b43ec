package report

import (
	"bytes"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// file is what became of a file without resources. Its conflicts have no path.
func (b builder) file(f *pkgmerge.FileChange) *Resource {
	r := &Resource{Subject: visible(f.Name), Action: actionName(f.Action), File: b.named(f.Name), file: f}
	for _, conflict := range f.Conflicts {
		r.Conflicts = append(r.Conflicts, b.fileConflict(f, conflict))
	}
	return r
}

func (b builder) fileConflict(f *pkgmerge.FileChange, conflict merge.Conflict) *Conflict {
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", File: b.named(f.Name), Said: b.said(conflict)}
	end := taken(conflict)
	if b.failed {
		end = nothingMerged
	} else {
		out.Chosen, out.Line = conflict.Chosen.String(), lineOfConflict(f, conflict)
	}
	out.Message = sentenceOf(fileCollision(f, conflict, end) + "; " + end)
	for side, n := range conflict.Values {
		out.Values[side] = newValue(n, !f.Secret)
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

// lineOfConflict is where the lines stand in the result that a conflict chose: of several
// such places the nearest to where the side has them. It is 0 if there are none.
func lineOfConflict(f *pkgmerge.FileChange, c merge.Conflict) int {
	n := c.Values[c.Chosen]
	if n == nil || n.Line == 0 || f.Result == nil {
		return 0
	}
	best, line := 0, 1
	lines := bytes.SplitAfter(f.Result.Data, []byte("\n"))
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
