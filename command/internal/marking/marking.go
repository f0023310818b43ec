// Package marking merges packages and writes conflicts as markers into the files, for the user to
// resolve (rules/git: markers).
package marking

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Marked is a merged package with markers.
type Marked struct {
	// Result has local's version of each collision, and files with markers.
	Result *pkgmerge.Result
	// Conflicts counts the marked conflicts, and the files that cannot carry a marker and stay
	// local's.
	Conflicts int
	// lines maps, for each file with markers, the line numbers of local's version to those of the
	// file.
	lines map[string][]int
}

// Merge merges packages. Collisions that the rules do not decide are marked, whatever the options'
// policy is.
func Merge(ctx context.Context, packages [3]pkgmerge.Package, o pkgmerge.Options, rules pkgmerge.Rules) (*Marked, error) {
	ours, theirs, err := pkgmerge.MergeMarked(ctx, packages, o, rules)
	if err != nil {
		return nil, err
	}
	if ours == theirs && !collides(ours) {
		return &Marked{Result: ours}, nil
	}
	return markFiles(ctx, packages[identity.Origin].Files, [3]*pkgmerge.Result{marker.Ours: ours, marker.Theirs: theirs})
}

// versions has one file in the two results and in origin, nil where it is missing.
type versions [3]*pkgmerge.File

// markFiles compares the files of the two results and marks their differences.
func markFiles(ctx context.Context, origin []pkgmerge.File, results [3]*pkgmerge.Result) (*Marked, error) {
	ours, err := results[marker.Ours].Files()
	if err != nil {
		return nil, err
	}
	theirs, err := results[marker.Theirs].Files()
	if err != nil {
		return nil, err
	}
	m := &Marked{lines: map[string][]int{}}
	collided, byFile := collisions(results), indexConflicts(results[marker.Ours])
	var files []pkgmerge.File
	var notices []pkgmerge.Notice
	for _, v := range alignFiles([3][]pkgmerge.File{marker.Ours: ours, marker.Base: origin, marker.Theirs: theirs}) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("the merge was stopped: %w", err)
		}
		name := v.name()
		compared, ok := v.compare(byFile.isText[name], collided[name], byFile.changes[name])
		pieces := compared.Pieces
		if ok {
			m.Conflicts += byFile.settle(name, compared)
		} else {
			m.Conflicts++
		}
		if !ok && v[marker.Ours] != nil && v[marker.Theirs] != nil { // else a conflict says who deleted it
			notices = append(notices, pkgmerge.Notice{Warning: true, File: name, Text: name + ": both sides changed it, and it cannot carry markers; local's stays"})
		}
		delete(byFile.changes, name)
		delete(byFile.files, name)
		file := v[marker.Ours]
		if pieces != nil {
			n, _ := pieces.Conflicts()
			m.Conflicts += n
			m.lines[name] = lineNumbers(pieces)
			marked := *file
			marked.Data = format().Render(pieces)
			file = &marked
		}
		if file != nil {
			files = append(files, *file)
		}
	}
	m.Conflicts += byFile.settleDeleted()
	m.Result = results[marker.Ours].WithFiles(files)
	m.Result.Notices = append(slices.Clip(m.Result.Notices), notices...)
	return m, nil
}

// format returns the format of the markers.
func format() marker.Format {
	return marker.Format{Style: marker.Merge, Labels: [3]string{
		marker.Ours: identity.Local.String(), marker.Base: identity.Origin.String(), marker.Theirs: identity.Upstream.String(),
	}}
}

// alignFiles returns the files of either result, sorted by name.
func alignFiles(all [3][]pkgmerge.File) []versions {
	byName := map[string]*versions{}
	var names []string
	for side, files := range all {
		for i, f := range files {
			if byName[f.Name] == nil {
				byName[f.Name] = &versions{}
				names = append(names, f.Name)
			}
			byName[f.Name][side] = &files[i]
		}
	}
	slices.Sort(names)
	var out []versions
	for _, name := range names {
		if v := byName[name]; v[marker.Ours] != nil || v[marker.Theirs] != nil {
			out = append(out, *v)
		}
	}
	return out
}

func (v versions) name() string {
	if v[marker.Ours] != nil {
		return v[marker.Ours].Name
	}
	return v[marker.Theirs].Name
}

// compare returns the file with its conflicts, if it has any. It is not ok if the file cannot carry
// markers.
func (v versions) compare(isText bool, collided map[identity.ID][]*merge.Path, changes []*pkgmerge.Change) (out Compared, ok bool) {
	ours, theirs := v[marker.Ours], v[marker.Theirs]
	if ours == nil || theirs == nil || ours.Mode != theirs.Mode || !ours.Mode.IsRegular() && !bytes.Equal(ours.Data, theirs.Data) {
		return out, false
	}
	if bytes.Equal(ours.Data, theirs.Data) {
		return out, true
	}
	var texts [3][]byte
	for side, f := range v {
		if f != nil {
			texts[side] = f.Data
		}
		if format().HasMarker(texts[side]) || bytes.IndexByte(texts[side], 0) >= 0 {
			return out, false
		}
	}
	if isText {
		return Compared{Pieces: marker.Lines(ours.Data, theirs.Data), texts: texts}, true
	}
	out, err := Compare(texts, collided, changes)
	return out, err == nil
}

// collisions returns the paths of the collisions, by file and resource.
func collisions(results [3]*pkgmerge.Result) map[string]map[identity.ID][]*merge.Path {
	out := map[string]map[identity.ID][]*merge.Path{}
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		for _, c := range results[side].Changes {
			if len(c.Conflicts) == 0 {
				continue
			}
			if out[c.File()] == nil {
				out[c.File()] = map[identity.ID][]*merge.Path{}
			}
			out[c.File()][idOf(c)] = append(out[c.File()][idOf(c)], c.Collisions()...)
		}
	}
	return out
}

// lineNumbers returns the line in the text with markers of each line of ours.
func lineNumbers(pieces marker.Pieces) (out []int) {
	at := 1
	for _, piece := range pieces {
		text, more := piece.Same, 0
		if piece.Conflict {
			text = piece.Sides[marker.Ours]
			at++
			more = 2 + bytes.Count(piece.Sides[marker.Theirs], []byte("\n"))
		}
		for range strings.Count(string(text), "\n") {
			out = append(out, at)
			at++
		}
		at += more
	}
	return append(out, at)
}

// Place returns the location of a field in the files with markers (see pkgmerge.Result.Location).
func (m *Marked) Place(c *pkgmerge.Change, path *merge.Path) (file string, line int) {
	file, line = m.Result.Location(c, path)
	if lines := m.lines[file]; line > 0 && line <= len(lines) {
		line = lines[line-1]
	}
	return file, line
}

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
