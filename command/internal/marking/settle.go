package marking

import (
	"bytes"
	"slices"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// reportedConflicts has the conflicts that a result reports, by file.
type reportedConflicts struct {
	changes map[string][]*pkgmerge.Change
	files   map[string]bool
	// isText has the files that merge as text.
	isText map[string]bool
}

func indexConflicts(r *pkgmerge.Result) reportedConflicts {
	out := reportedConflicts{map[string][]*pkgmerge.Change{}, map[string]bool{}, map[string]bool{}}
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
	all := indexConflicts(r)
	return len(all.changes)+len(all.files) > 0
}

// settle compares the reported conflicts of a file with the file's pieces, and returns how many
// remain undecided without a marker (rules/git: markers):
//
//   - The pieces show both versions: the conflict is marked.
//   - The two results differ there but the pieces do not: elements of a list were merged one by
//     one, and the result has both changes. That is no conflict.
//   - The two results are equal: a rule took one version whatever is preferred. The conflict says
//     whose version that is.
func (r reportedConflicts) settle(name string, texts [2][]byte, pieces marker.Pieces) (unmarked int) {
	if r.files[name] && !pieces.Conflict() {
		unmarked++
	}
	return unmarked + Settle(r.changes[name], texts, pieces)
}

// Settle compares the conflicts of resources with the pieces of their file, which were made of the
// two texts. It drops conflicts that the pieces decide, and returns how many of the others cannot
// be marked.
func Settle(changes []*pkgmerge.Change, texts [2][]byte, pieces marker.Pieces) (unmarked int) {
	merged := &resourcePair{}
	shown := merged
	if pieces != nil && slices.ContainsFunc(changes, func(c *pkgmerge.Change) bool { return len(c.Conflicts) > 0 }) {
		merged = newResourcePair(texts)
		shown = merged
		all := [2][]byte{pieces.Resolve(always(marker.Ours)), pieces.Resolve(always(marker.Theirs))}
		if !bytes.Equal(all[0], texts[0]) || !bytes.Equal(all[1], texts[1]) {
			shown = newResourcePair(all)
		}
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
				unmarked++
			}
			c.Conflicts = append(c.Conflicts, conflict)
		}
	}
	return unmarked
}

// settleDeleted settles the reported conflicts of files that neither result has, and returns how
// many are unmarked.
func (r reportedConflicts) settleDeleted() (unmarked int) {
	for name := range r.changes {
		unmarked += r.settle(name, [2][]byte{}, nil)
	}
	for name := range r.files {
		if r.changes[name] == nil {
			unmarked += r.settle(name, [2][]byte{}, nil)
		}
	}
	return unmarked
}

// idOf returns the identity of a resource within its file.
func idOf(c *pkgmerge.Change) identity.ID {
	if c.Result != nil {
		return c.Result.Meta.PlainID()
	}
	return c.Newest().Meta.PlainID()
}

// always chooses one side of every conflict.
func always(side marker.Side) func(int) marker.Side { return func(int) marker.Side { return side } }

// resourcePair has the resources of two texts of one file. It keeps in memory what it parsed of the
// identity that somebody asked about last.
type resourcePair struct {
	resources [2]marker.Resources
	parsed    identity.ID
	finders   [2][]*merge.Finder
}

func newResourcePair(texts [2][]byte) *resourcePair {
	return &resourcePair{resources: [2]marker.Resources{marker.NewResources(texts[0]), marker.NewResources(texts[1])}}
}

// parse parses the resources of an identity.
func (p *resourcePair) parse(id identity.ID) {
	if p.parsed == id && p.finders[0] != nil {
		return
	}
	p.parsed = id
	for i, resources := range p.resources {
		p.finders[i] = []*merge.Finder{}
		for _, root := range resources.Parse(id) {
			p.finders[i] = append(p.finders[i], merge.NewFinder(root))
		}
	}
}

// differs reports whether the texts differ at a path of a resource.
func (p *resourcePair) differs(id identity.ID, path *merge.Path) bool {
	p.parse(id)
	a, b := p.finders[0], p.finders[1]
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

// differsAt compares two resources at a path, or as wholes if neither has the path.
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
