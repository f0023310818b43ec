package marking

import (
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

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

// settle settles the reported conflicts of a file, and returns how many remain undecided without a marker.
func (r reportedConflicts) settle(name string, compared Compared) (unmarked int) {
	if r.files[name] && !compared.Pieces.Conflict() {
		unmarked++
	}
	return unmarked + compared.Settle(r.changes[name])
}

// Compared is a file whose two results were compared. The zero value is a file that is in neither of them.
type Compared struct {
	Pieces marker.Pieces
	texts  [3][]byte
	// differs has the conflicts at whose paths the results differ.
	differs map[*pkgmerge.Change]map[*merge.Path]bool
}

// Compare compares the two results of the merge of one file, as marker.Files does, and finds out where they differ
// at the conflicts of changes. collided has the paths of the collisions.
func Compare(texts [3][]byte, collided map[identity.ID][]*merge.Path, changes []*pkgmerge.Change) (c Compared, err error) {
	c = Compared{texts: texts, differs: map[*pkgmerge.Change]map[*merge.Path]bool{}}
	of := map[identity.ID][]*pkgmerge.Change{}
	for _, change := range changes {
		if len(change.Conflicts) > 0 {
			of[idOf(change)] = append(of[idOf(change)], change)
			c.differs[change] = map[*merge.Path]bool{}
		}
	}
	var mutex sync.Mutex
	see := func(ours, theirs *yaml.Node) {
		var ids []identity.ID
		for _, root := range [2]*yaml.Node{ours, theirs} {
			if id := identity.ReadMeta(root).PlainID(); root != nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		isPair := ours != nil && theirs != nil && len(ids) == 1
		a, b := merge.NewFinder(ours), merge.NewFinder(theirs)
		for _, id := range ids {
			for _, change := range of[id] {
				for _, conflict := range change.Conflicts {
					if !isPair || differsAt(a, b, conflict.Path) {
						mutex.Lock()
						c.differs[change][conflict.Path] = true
						mutex.Unlock()
					}
				}
			}
		}
	}
	c.Pieces, err = marker.Files(texts, func(root *yaml.Node) []*merge.Path { return collided[identity.ReadMeta(root).PlainID()] }, see)
	return c, err
}

// Settle compares the conflicts of the resources of the file with its pieces, and returns how many remain undecided
// without a marker (rules/git: markers):
//
//   - The pieces show both versions: the conflict is marked.
//   - The two results differ there but the pieces do not: elements of a list were merged one by
//     one, and the result has both changes. That is no conflict.
//   - The two results are equal: a rule took one version whatever is preferred. The conflict says
//     whose version that is.
func (c Compared) Settle(changes []*pkgmerge.Change) (unmarked int) {
	shown := c.differs
	if len(shown) > 0 && !(c.Pieces.IsText(c.texts[marker.Ours], marker.Ours) && c.Pieces.IsText(c.texts[marker.Theirs], marker.Theirs)) {
		texts := [3][]byte{marker.Ours: c.Pieces.Resolve(always(marker.Ours)), marker.Theirs: c.Pieces.Resolve(always(marker.Theirs))}
		if both, err := Compare(texts, nil, changes); err == nil { // the documents are in the order that they were in
			shown = both.differs
		}
	}
	for _, change := range changes {
		conflicts := change.Conflicts
		change.Conflicts = nil
		for _, conflict := range conflicts {
			switch {
			case !change.Marks(conflict) || shown[change][conflict.Path]:
			case c.differs[change][conflict.Path]:
				change.Remarks = append(change.Remarks, merge.Remark{Kind: merge.ElementsMerged, Path: conflict.Path, Values: conflict.Values})
				continue
			default:
				change.Unmark(conflict)
				unmarked++
			}
			change.Conflicts = append(change.Conflicts, conflict)
		}
	}
	return unmarked
}

// settleDeleted settles the reported conflicts of files that neither result has, and returns how
// many are unmarked.
func (r reportedConflicts) settleDeleted() (unmarked int) {
	for name := range r.changes {
		unmarked += r.settle(name, Compared{})
	}
	for name := range r.files {
		if r.changes[name] == nil {
			unmarked += r.settle(name, Compared{})
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
