package marking

import (
	"slices"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// reported is what a result reports in conflict, by file.
type reported struct {
	changes map[string][]*pkgmerge.Change
	files   map[string]bool
	// isText are the files that merge as text.
	isText map[string]bool
}

func newReported(r *pkgmerge.Result) reported {
	out := reported{map[string][]*pkgmerge.Change{}, map[string]bool{}, map[string]bool{}}
	for _, c := range r.Changes {
		if len(c.Conflicts) > 0 {
			out.changes[c.File()] = append(out.changes[c.File()], c)
		}
	}
	for _, c := range r.FileChanges {
		out.isText[c.Name] = true
		if len(c.Conflicts) > 0 && c.Marks() {
			out.files[c.Name] = true
		}
	}
	return out
}

// collides reports whether a result has a conflict.
func collides(r *pkgmerge.Result) bool {
	all := newReported(r)
	return len(all.changes)+len(all.files) > 0
}

// settle compares what was reported of a file with the file's pieces, and returns how many
// conflicts stay undecided though no marker shows them (rules/git: markers):
//
//   - The pieces show both versions: the conflict is marked.
//   - The two results differ there and the pieces do not: elements of a list were merged
//     one by one, so that the result has the changes of both. That is no conflict.
//   - The two results do not differ: a rule took one version whatever is preferred. The
//     conflict says whose that is.
func (r reported) settle(name string, texts [2][]byte, pieces marker.Pieces) (left int) {
	if r.files[name] && !pieces.Conflict() {
		left++
	}
	return left + Settle(r.changes[name], texts, pieces)
}

// Settle compares the conflicts of resources with the pieces of their file, made of the two
// texts; it returns how many of them cannot be marked, and drops those that the pieces decide.
func Settle(changes []*pkgmerge.Change, texts [2][]byte, pieces marker.Pieces) (left int) {
	var merged, shown pair
	if pieces != nil && slices.ContainsFunc(changes, func(c *pkgmerge.Change) bool { return len(c.Conflicts) > 0 }) {
		merged = newPair(texts)
		shown = newPair([2][]byte{pieces.Resolve(only(marker.Ours)), pieces.Resolve(only(marker.Theirs))})
	}
	for _, c := range changes {
		conflicts := c.Conflicts
		c.Conflicts = nil
		for _, conflict := range conflicts {
			switch id := idOf(c); {
			case !c.Marks(conflict) || shown.differs(id, conflict.Path):
			case merged.differs(id, conflict.Path):
				c.Remarks = append(c.Remarks, merge.Remark{Kind: merge.ElementsMerged, Path: conflict.Path, Values: conflict.Values})
				continue
			default:
				c.Unmark(conflict)
				left++
			}
			c.Conflicts = append(c.Conflicts, conflict)
		}
	}
	return left
}

// settleGone settles what was reported of files that neither result has, and returns how
// many conflicts are left.
func (r reported) settleGone() (left int) {
	for name := range r.changes {
		left += r.settle(name, [2][]byte{}, nil)
	}
	for name := range r.files {
		if r.changes[name] == nil {
			left += r.settle(name, [2][]byte{}, nil)
		}
	}
	return left
}

// idOf is what a file calls the resource.
func idOf(c *pkgmerge.Change) identity.ID {
	if c.Result != nil {
		return c.Result.Meta.PlainID()
	}
	return c.Newest().Meta.PlainID()
}

// only chooses one side of every conflict.
func only(side marker.Side) func(int) marker.Side { return func(int) marker.Side { return side } }

// pair is the resources of two texts of one file, by what the texts call them.
type pair [2]map[identity.ID][]*merge.Finder

// newPair reads two texts.
func newPair(texts [2][]byte) (p pair) {
	for i, text := range texts {
		p[i] = map[identity.ID][]*merge.Finder{}
		for _, root := range marker.Roots(text) {
			id := identity.ReadMeta(root).PlainID()
			p[i][id] = append(p[i][id], merge.NewFinder(root))
		}
	}
	return p
}

// differs reports whether the texts have something else at a path of a resource.
func (p pair) differs(id identity.ID, path *merge.Path) bool {
	a, b := p[0][id], p[1][id]
	if len(a) != len(b) {
		return true
	}
	for i := range a {
		if differsAt(a[i], b[i], path) {
			return true
		}
	}
	return false
}

// differsAt compares two resources at a path; where it leads to nothing in both, as wholes.
func differsAt(a, b *merge.Finder, path *merge.Path) bool {
	x, inA := a.Find(path)
	y, inB := b.Find(path)
	switch {
	case inA != inB:
		return true
	case !inA:
		return differsAt(a, b, nil)
	}
	return !merge.Alike(x, y) || !merge.Alike(a.Value(path), b.Value(path))
}
