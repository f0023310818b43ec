// Package marking merges packages and writes conflicts as markers into the files, for the user to
// resolve (rules/git: markers).
package marking

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

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
