// Package marking merges packages and writes conflicts as markers into the files, for the user to
// resolve (rules/git: markers).
package marking

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Marked is a merged package with markers.
type Marked struct {
	// Result has local's version of each collision, and files with markers.
	Result *pkgmerge.Result
	// Conflicts counts the marked conflicts, and the files that cannot carry a marker and stay local's.
	Conflicts int
	// lines maps, for each file with markers, the line numbers of local's version to the file's.
	lines map[string][]int
	// seen has the conflicts of the files that were compared.
	seen map[field]sight
}

// Merge merges packages. Collisions that the rules do not decide are marked, whatever the options' policy is.
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

// Versions has one file in the two results and in origin, by marker.Side; nil where it is missing.
type Versions [3]*pkgmerge.File

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
	m := fileMarker{
		Marked:   &Marked{lines: map[string][]int{}, seen: map[field]sight{}},
		results:  results,
		pairs:    PairChanges(results[marker.Ours], results[marker.Theirs]),
		reported: indexConflicts(results[marker.Ours]),
	}
	for _, v := range alignFiles([3][]pkgmerge.File{marker.Ours: ours, marker.Base: origin, marker.Theirs: theirs}) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("the merge was stopped: %w", err)
		}
		m.mark(v)
	}
	m.Conflicts += m.reported.settleDeleted()
	m.Result = results[marker.Ours].WithFiles(m.files)
	m.Result.Notices = append(slices.Clip(m.Result.Notices), m.notices...)
	return m.Marked, nil
}

// fileMarker marks the files of a package.
type fileMarker struct {
	*Marked
	results  [3]*pkgmerge.Result
	pairs    map[string][]Pair
	reported reportedConflicts
	files    []pkgmerge.File
	notices  []pkgmerge.Notice
}

// mark marks the differences of one file. A file that cannot carry markers stays local's.
func (m *fileMarker) mark(v Versions) {
	name, file := v.name(), v[marker.Ours]
	compared, ok := v.compare(m.reported.isText[name], m.results, m.pairs[name])
	if maps.Copy(m.seen, compared.seen); ok {
		m.Conflicts += m.reported.settle(name, compared)
	} else {
		m.Conflicts++
	}
	if !ok && file != nil && v[marker.Theirs] != nil { // else a conflict says who deleted it
		m.notices = append(m.notices, pkgmerge.Notice{Warning: true, File: name, Text: name + ": both sides changed it, and it cannot carry markers; yours stays"})
	}
	delete(m.reported.changes, name)
	delete(m.reported.files, name)
	if pieces := compared.Pieces; pieces != nil {
		n, _ := pieces.Conflicts()
		m.Conflicts += n
		m.lines[name] = lineNumbers(pieces)
		file = &pkgmerge.File{Name: file.Name, Mode: file.Mode, Data: format().Render(pieces)}
	}
	if file != nil {
		m.files = append(m.files, *file)
	}
}

func format() marker.Format {
	return marker.Format{Style: marker.Merge, Labels: [3]string{
		marker.Ours: identity.Local.String(), marker.Base: identity.Origin.String(), marker.Theirs: identity.Upstream.String(),
	}}
}

// alignFiles returns the files of either result, sorted by name.
func alignFiles(all [3][]pkgmerge.File) (out []Versions) {
	byName := map[string]Versions{}
	for side, files := range all {
		for i, f := range files {
			v := byName[f.Name]
			v[side] = &files[i]
			byName[f.Name] = v
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if v := byName[name]; v[marker.Ours] != nil || v[marker.Theirs] != nil {
			out = append(out, v)
		}
	}
	return out
}

func (v Versions) name() string { return cmp.Or(v[marker.Ours], v[marker.Theirs]).Name }

// compare returns the file with its conflicts, if it has any. It is not ok if the file cannot carry markers.
func (v Versions) compare(isText bool, results [3]*pkgmerge.Result, pairs []Pair) (out Compared, ok bool) {
	ours, theirs := v[marker.Ours], v[marker.Theirs]
	if ours == nil || theirs == nil || ours.Mode != theirs.Mode || !ours.Mode.IsRegular() && !bytes.Equal(ours.Data, theirs.Data) {
		return out, false
	}
	if bytes.Equal(ours.Data, theirs.Data) {
		return out, true
	}
	for _, f := range v {
		if f != nil && (format().HasMarker(f.Data) || bytes.IndexByte(f.Data, 0) >= 0) {
			return out, false
		}
	}
	if isText {
		return Compared{Pieces: marker.Lines(ours.Data, theirs.Data)}, true
	}
	out, err := Compare(v, v.name(), results, pairs, false)
	return out, err == nil
}

// Pair has the changes of one resource in the two results of a merge.
type Pair struct{ ours, theirs *pkgmerge.Change }

// PairChanges returns the pairs of two results of the same packages, by the files that have the resource in a result or
// in origin.
func PairChanges(ours, theirs *pkgmerge.Result) map[string][]Pair {
	out := map[string][]Pair{}
	for i, c := range ours.Changes {
		p := Pair{c, theirs.Changes[i]}
		var files []string
		for _, r := range [3]*pkgmerge.Resource{c.Result, p.theirs.Result, c.Versions[identity.Origin]} {
			if r != nil && !slices.Contains(files, r.File) {
				files = append(files, r.File)
				out[r.File] = append(out[r.File], p)
			}
		}
	}
	return out
}

func (p Pair) resource(file string, results [3]*pkgmerge.Result) (r marker.Resource) {
	r.Kind = p.ours.Newest().Meta.Kind
	for side, c := range [3]*pkgmerge.Change{marker.Ours: p.ours, marker.Theirs: p.theirs} {
		if c != nil && c.Result != nil && c.Result.File == file {
			_, r.Lines[side] = results[side].Location(c, nil)
			r.Known[side] = c.Result.Known()
		}
	}
	if origin := p.ours.Versions[identity.Origin]; origin != nil && origin.File == file {
		_, r.Lines[marker.Base] = results[marker.Ours].SideLocation(p.ours, identity.Origin, nil)
		r.Known[marker.Base] = origin.Known()
	}
	return r
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
	if file, line = c.File(), m.seen[field{c, path}].line; line == 0 {
		file, line = m.Result.Location(c, path)
	}
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
	seen   map[field]sight
}

// field is a field of a resource.
type field struct {
	change *pkgmerge.Change
	path   *merge.Path
}

// sight tells whether the two results differ at a conflict, and whether the pieces do.
type sight struct {
	differs, shown bool
	// line is the line of the field in local's version of the file, 0 if it is unknown.
	line int
}

// Compare compares the two results of the merge of one file, as marker.Files does, and finds out where they differ
// at the conflicts of the pairs, which have the resources of the file.
func Compare(v Versions, file string, results [3]*pkgmerge.Result, pairs []Pair, showsBase bool) (c Compared, err error) {
	c.seen = map[field]sight{}
	resources, seen, lists := make([]marker.Resource, len(pairs)), make([]map[field]sight, len(pairs)), make([][]lines, len(pairs))
	for i, p := range pairs {
		resources[i] = p.resource(file, results)
		if len(p.ours.Conflicts)+len(p.theirs.Conflicts) == 0 {
			continue
		}
		for _, conflict := range slices.Concat(p.ours.Conflicts, p.theirs.Conflicts) {
			paths := &resources[i].Collisions
			if conflict.Kind == merge.CommentChanged {
				paths = &resources[i].Comments
			}
			*paths = append(*paths, conflict.Path)
		}
		resources[i].See = func(line int, results, shown [2]*yaml.Node) {
			seen[i] = look(p.ours, line, results, shown)
			lists[i] = collidingLists(p.ours, line, results[marker.Ours])
		}
	}
	var files [3]*stream.Stream
	for side, f := range v {
		files[side] = results[marker.Ours].Stream(f)
	}
	c.Pieces, err = marker.Files(files, resources, showsBase)
	if in := slices.Concat(lists...); len(in) > 0 {
		c.Pieces = c.Pieces.WithWholeElements(files[marker.Base].Bytes(), func(line int) bool {
			return slices.ContainsFunc(in, func(l lines) bool { return l.first <= line && line <= l.last })
		})
	}
	for i, p := range pairs {
		maps.Copy(c.seen, seen[i])
		for _, conflict := range p.ours.Conflicts {
			if conflict.Kind == merge.CommentChanged && conflict.Path == nil { // above the document, outside of its tree
				c.seen[field{p.ours, nil}] = sight{differs: true, shown: true}
			}
		}
	}
	return c, err
}

// lines are the numbers of the first and the last line of a value in a file.
type lines struct{ first, last int }

// collidingLists returns the lines of the lists that collide as wholes, not in the fields of an element. The resource begins in
// a line of the file.
func collidingLists(c *pkgmerge.Change, line int, result *yaml.Node) (out []lines) {
	merged := merge.NewFinder(result)
	for _, conflict := range c.Conflicts {
		list := merged.Value(conflict.Path)
		if line == 0 || list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		last := list
		for len(last.Content) > 0 {
			last = last.Content[len(last.Content)-1]
		}
		out = append(out, lines{list.Line + line - 1, last.Line + line - 1})
	}
	return out
}

// look returns the outcome of each conflict of a resource: whether the two results differ at its path, whether the pieces
// do, and its line in our result, which begins in the given line of the file.
func look(c *pkgmerge.Change, line int, results, shown [2]*yaml.Node) map[field]sight {
	out := make(map[field]sight, len(c.Conflicts))
	merged := newComparison(results)
	visible := merged
	if shown != results {
		visible = newComparison(shown)
	}
	for _, conflict := range c.Conflicts {
		s := sight{differs: merged.differsAt(conflict.Path)}
		if s.shown = s.differs; visible != merged {
			s.shown = visible.differsAt(conflict.Path)
		}
		if at, _ := merged[0].Find(conflict.Path); at != nil && line > 0 && conflict.Path != nil {
			s.line = at.Line + line - 1
		}
		out[field{c, conflict.Path}] = s
	}
	return out
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
	for _, change := range changes {
		conflicts := change.Conflicts
		change.Conflicts = nil
		for _, conflict := range conflicts {
			switch at := (field{change, conflict.Path}); {
			case !change.Marks(conflict) || c.seen[at].shown:
			case c.seen[at].differs:
				change.Remarks = append(change.Remarks, merge.Remark{Kind: merge.ElementsMerged, Path: conflict.Path, Values: conflict.Values})
				if change.Action == pkgmerge.Unchanged {
					change.Action = pkgmerge.Changed // in the pieces, not in either result
				}
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

// settleDeleted settles the reported conflicts of files that neither result has, and returns how many are unmarked.
func (r reportedConflicts) settleDeleted() (unmarked int) {
	for _, changes := range r.changes {
		unmarked += Compared{}.Settle(changes)
	}
	return unmarked + len(r.files)
}

// comparison has two versions of a resource, nil where there is none.
type comparison [2]*merge.Finder

func newComparison(versions [2]*yaml.Node) comparison {
	return comparison{merge.NewFinder(versions[0]), merge.NewFinder(versions[1])}
}

// differsAt compares the versions at a path, or as wholes if neither has the path.
func (c comparison) differsAt(path *merge.Path) bool {
	x, inX := c[0].Find(path)
	y, inY := c[1].Find(path)
	switch {
	case x == nil || y == nil || inX != inY:
		return true
	case !inX:
		return c.differsAt(nil)
	}
	return !merge.Alike(x, y) || !merge.Alike(c[0].Value(path), c[1].Value(path))
}
