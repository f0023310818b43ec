package pkgmerge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/stream"
)

// Files returns the files of the merged package, sorted by name: local's bytes, except for the changes of the merge
// (rules/files: edited files). It is an error if the packages were not all made by NewPackage.
func (r *Result) Files() ([]File, error) {
	if !r.ofFiles {
		return nil, errors.New("the merged package has no files: a version of it was not made of files")
	}
	return slices.Clone(r.files), nil
}

// Stream returns a file of the result, or of origin, as documents: those of a version that has the same bytes, since they are known.
// nil is an empty file.
func (r *Result) Stream(f *File) *stream.Stream {
	if f == nil {
		return stream.Read(nil)
	}
	for _, p := range r.versions {
		if c := p.content(f.Name); c.isStructured() && bytes.Equal(c.Data, f.Data) {
			return c.stream
		}
	}
	return stream.Read(f.Data)
}

// WithFiles returns the result with other files, sorted by name: the merged package with later edits,
// such as markers of conflicts.
func (r *Result) WithFiles(files []File) *Result {
	out := *r
	out.ofFiles, out.files = true, files
	return &out
}

// assembly puts the result together from decided changes.
type assembly struct {
	*merger
	// heirs maps a file of the result to the deleted file of local's from which it takes the text around the documents.
	heirs map[string]string
	// headers are the merged comments at the top of files of the result, where they are not local's.
	headers map[string]*fileHeader
	// filesLeft are the files whose comments between documents stay: the files of the result with documents, and the
	// files of local's with an heir.
	filesLeft map[string]bool
}

// assembled returns the result of decided changes.
func (m *merger) assembled(ctx context.Context, changes []*Change) (*Result, error) {
	commentUnchanged(changes)
	a := &assembly{merger: m}
	merged, err := a.place(changes)
	if err != nil {
		return nil, err
	}
	var last []Notice
	if m.driven != nil {
		if err := writeLists(changes); err != nil {
			return nil, err
		}
		if last, err = m.driven.Finish(changes); err != nil {
			return nil, err
		}
	}
	result := &Result{Changes: changes, Merged: merged, IdleRenames: m.idleRenames, Run: m.driven, versions: m.packages, finder: &lineFinder{}}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("the merge was stopped: %w", err)
	}
	if !m.isSecond {
		result.IdleRules, result.IdleLists = m.idleRules(changes), m.idleLists()
		result.Notices = append(m.notices(changes), last...)
	}
	if m.ofFiles {
		err = a.assemble(result)
	}
	if m.driven == nil && !m.isSecond {
		result.Notices = slices.Concat(result.Notices, a.ignoredNotices(result.FileChanges), a.missingFiles(result), a.idleEntries(result))
	}
	return result, err
}

func (a *assembly) assemble(result *Result) error {
	result.ofFiles = true
	byFile := map[string][]*Change{}
	for _, c := range result.Merged {
		byFile[c.Result.File] = append(byFile[c.Result.File], c)
	}
	names := slices.Sorted(maps.Keys(byFile))
	a.findHeirs(names, byFile)
	a.headers = map[string]*fileHeader{}
	for _, c := range result.Changes {
		if c.fileHeader != nil {
			a.headers[c.fileHeader.file] = c.fileHeader
		}
	}
	result.files = make([]File, len(names))
	err := parallel.Each(len(names), func(i int) (err error) {
		result.files[i], err = a.structured(names[i], byFile[names[i]])
		if err == nil && a.driven == nil {
			a.countOutside(result.files[i], byFile[names[i]])
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := a.mergeFiles(result); err != nil {
		return err
	}
	slices.SortFunc(result.files, func(x, y File) int { return strings.Compare(x.Name, y.Name) })
	return checkDirectories(result.files)
}

// countOutside counts the first resource of a file as changed if the merge changed no resource in the file, but took
// upstream's file, or changed the mode or the text outside of the documents, such as a header (rules/reports: counts).
func (a *assembly) countOutside(f File, changes []*Change) {
	local, upstream := a.packages[identity.Local].content(f.Name), a.packages[identity.Upstream].content(f.Name)
	isChanged := func(c *Change) bool { return c.Action != Unchanged }
	if local == nil || len(local.resources) != len(changes) || slices.ContainsFunc(changes, isChanged) {
		return
	}
	sameMode, same := local.Mode == f.Mode, bytes.Equal(local.Data, f.Data)
	isUpstreams := upstream != nil && bytes.Equal(upstream.Data, f.Data)
	if !sameMode || !same && (isUpstreams || !writesInto(local, changes)) {
		changes[0].Action = Changed
	}
}

// writesInto reports whether the result has another text of a document of local's file, such as a merge comment in it.
func writesInto(local *content, changes []*Change) bool {
	for n, c := range indexFile(local, changes).changes {
		if c.Result.textIn(local.stream.Documents[n].Text) != nil {
			return true
		}
	}
	return false
}

func checkDirectories(files []File) error {
	names := map[string]bool{}
	for _, f := range files {
		names[f.Name] = true
	}
	for _, f := range files {
		for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
			if names[dir] {
				return fmt.Errorf("%s is a file on one side and a directory with %s on another", dir, path.Base(f.Name))
			}
		}
	}
	return nil
}

// structured returns a file with documents. A file of local keeps the text between its documents, also if upstream
// renamed it; but a file that local did not change, and that has all of upstream's documents, is upstream's.
func (a *assembly) structured(name string, changes []*Change) (File, error) {
	sides := a.versionsOf(name, changes)
	if a.isKept(sides, changes) {
		local := sides[identity.Local]
		for _, c := range changes {
			c.line = local.stream.Documents[c.Versions[identity.Local].document].Line
		}
		return File{Name: name, Mode: modeOf(sides), Data: local.Data}, nil
	}
	base, side := sides[identity.Local], identity.Local
	if base == nil || a.isUntouched(sides) && isAllOf(changes, sides[identity.Upstream]) {
		base, side = sides[identity.Upstream], identity.Upstream
	}
	if base == nil || !base.isStructured() {
		return File{}, fmt.Errorf("%s: no side has the file", name)
	}
	f := File{Name: name, Mode: modeOf(sides)}
	ordered := a.inFile(base, side, changes)
	entries := make([]stream.Entry, len(ordered))
	for i, e := range ordered {
		entries[i] = e.entry
	}
	file := base.stream
	if side == identity.Local {
		file = a.mergedHeader(name, sides)
		addFinalBreak(entries, sides)
	}
	var joined []stream.Joined
	f.Data, joined = file.Join(entries)
	recordPlaces(ordered, joined)
	return f, nil
}

// isKept reports whether all sides have a file with the same bytes, and the merge left each of its documents as it is.
func (a *assembly) isKept(sides [3]*content, changes []*Change) bool {
	local := sides[identity.Local]
	for _, c := range sides {
		if !c.isStructured() || !local.isStructured() || c.Name != local.Name || !bytes.Equal(c.Data, local.Data) {
			return false
		}
	}
	return a.driven == nil && a.headers[local.Name] == nil && len(changes) == len(local.resources) &&
		!slices.ContainsFunc(changes, func(c *Change) bool {
			l := c.Versions[identity.Local]
			return c.Action != Unchanged || c.list != nil || l == nil || l.Listed() != l || l.File != local.Name || c.Result.File != local.Name ||
				c.Result.textIn(local.stream.Documents[l.document].Text) != nil
		})
}

// addFinalBreak ends the last document of local's file with the line break that upstream alone added there, unless that would
// add it to a text of several lines (rules/files: edited files).
func addFinalBreak(entries []stream.Entry, sides [3]*content) {
	for side, c := range sides {
		if !c.isStructured() || bytes.HasSuffix(c.Data, []byte("\n")) != (identity.Side(side) == identity.Upstream) {
			return
		}
	}
	last := &entries[len(entries)-1]
	text := last.Text
	if text == nil {
		text = sides[identity.Local].stream.Documents[last.Document].Text
	}
	var leaf yaml.Node
	if len(text) == 0 || bytes.HasSuffix(text, []byte("\n")) || yaml.Unmarshal(text, &leaf) != nil {
		return
	}
	for n := &leaf; n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0; n = n.Content[len(n.Content)-1] {
		if len(n.Content) == 0 {
			last.Text = append(bytes.Clone(text), '\n')
			return
		}
	}
}

// mergedHeader returns local's file with the merged header and with the comments of a resource that takes its
// header along.
func (a *assembly) mergedHeader(name string, sides [3]*content) *stream.Stream {
	file := sides[identity.Local].stream
	if sides[identity.Origin].isStructured() && sides[identity.Upstream].isStructured() {
		file = file.WithHeader(sides[identity.Origin].stream, sides[identity.Upstream].stream)
	}
	header := a.headers[name]
	if header == nil {
		return file
	}
	if header.whole != nil {
		file = file.WithComments(header.whole)
	}
	if header.above != nil {
		file = file.WithCommentsAbove(header.above)
	}
	if header.below != nil {
		file = file.WithCommentsBelow(header.below)
	}
	return file
}

// recordPlaces gives each resource its line and its text in the joined file.
func recordPlaces(ordered []placed, joined []stream.Joined) {
	for i, e := range ordered {
		if e.change != nil {
			e.change.line = joined[i].Line
			if e.entry.Text != nil && joined[i].Text != nil { // the joined text replaces it
				e.change.Result.moveText(joined[i].Text)
			}
		}
	}
}

// versionsOf returns the versions of a file with documents. If local lacks it, they are the versions of the file whose
// text it takes, but for origin's where that has a file of the name, which the next merge finds; if upstream lacks it too,
// upstream's is the file of an added document.
func (a *assembly) versionsOf(name string, changes []*Change) (sides [3]*content) {
	for side := range sides {
		sides[side] = a.packages[side].content(name)
	}
	if was, found := a.heirs[name]; found && sides[identity.Local] == nil {
		sides[identity.Origin] = cmp.Or(sides[identity.Origin], a.packages[identity.Origin].content(was))
		sides[identity.Local] = a.packages[identity.Local].content(was)
	}
	for _, c := range changes {
		if u := c.Versions[identity.Upstream]; u != nil && sides[identity.Upstream] == nil && sides[identity.Local] == nil {
			sides[identity.Upstream] = a.packages[identity.Upstream].content(u.File)
		}
	}
	return sides
}

// isUntouched reports whether local did not change a file.
func (a *assembly) isUntouched(sides [3]*content) bool {
	o, l := sides[identity.Origin], sides[identity.Local]
	return o != nil && l != nil && bytes.Equal(o.Data, l.Data)
}

// isAllOf reports whether changes are the resources of a file of upstream.
func isAllOf(changes []*Change, upstream *content) bool {
	return upstream != nil && len(changes) == len(upstream.resources) && !slices.ContainsFunc(changes, func(c *Change) bool {
		u := c.Versions[identity.Upstream]
		return u == nil || u.File != upstream.Name
	})
}

// inFile returns the documents of a file in their order: the documents of base, which is a side's file, and
// each added or moved one after its nearest predecessor of upstream.
func (a *assembly) inFile(base *content, side identity.Side, changes []*Change) []placed {
	x := indexFile(base, changes)
	others := inUpstreamsOrder(changes, base.Name)
	if a.options.Profile == Branch && side == identity.Local {
		others = align.Behind(x.present, others, (*Change).isLocals)
	}
	first, after := align.Place(others, func(c *Change) bool { return x.own[c] })
	var out []placed
	var below *string
	from := 0 // behind the last resource that all sides have
	for _, c := range first {
		out = append(out, a.newcomer(c, base))
	}
	for n, d := range base.stream.Documents {
		c, list := x.changes[n], x.lists[n]
		switch {
		case c != nil:
			if c.between != nil && side == identity.Local {
				out = withComments(out, from, base, c.between.merged[1])
				from, below = len(out)+1, c.between.merged[2]
			}
			out = append(out, placed{entry: a.documentEntry(base, side, c, n), change: c})
		case list != nil:
			out = append(out, placed{entry: stream.Entry{Document: n, Text: list.textIn(d.Text)}})
		case d.IsEmpty() && (n == 0 || len(out) > 0 || len(bytes.TrimSpace(d.Text)) > 0):
			out = append(out, placed{entry: stream.Entry{Document: n}})
		}
		for _, c := range after[c] {
			out = append(out, a.newcomer(c, base))
		}
	}
	return withComments(out, from, base, below)
}

// fileIndex has the changes and the Lists of a file's documents.
type fileIndex struct {
	changes map[int]*Change   // by document
	lists   map[int]*Resource // by document
	present []*Change         // in the file's order
	own     map[*Change]bool
}

// indexFile finds the change and the merged List of each document of a file.
func indexFile(base *content, changes []*Change) fileIndex {
	x := fileIndex{changes: map[int]*Change{}, lists: map[int]*Resource{}, own: map[*Change]bool{}}
	of, lists := byVersion(changes), map[*Resource]*Resource{}
	for _, c := range changes {
		if l := c.Versions[identity.Local]; l != nil && c.list != nil {
			lists[l.Listed()] = c.list
		}
	}
	for _, r := range base.resources {
		x.lists[r.document] = lists[r]
		if c := of[r]; c != nil {
			x.own[c], x.changes[r.document] = true, c
			x.present = append(x.present, c)
		}
	}
	return x
}

// byVersion finds the change of each version of a resource.
func byVersion(changes []*Change) map[*Resource]*Change {
	of := make(map[*Resource]*Change, len(changes))
	for _, c := range changes {
		for _, r := range c.Versions {
			if r != nil {
				of[r] = c
			}
		}
	}
	return of
}

// documentEntry returns the entry of a resource that base, a side's file, has as its document n.
func (a *assembly) documentEntry(base *content, side identity.Side, c *Change, n int) stream.Entry {
	if side == identity.Upstream {
		if header := a.ownHeader(c); header != nil {
			return stream.Entry{Document: -1, Header: header, Text: c.Result.item.Text()}
		}
	}
	e := stream.Entry{Document: n, Text: c.Result.textIn(base.stream.Documents[n].Text)}
	if side == identity.Upstream && isSameButForBreak(e.Text, base.stream.Documents[n].Text) {
		e.Text = nil
	}
	if side == identity.Local {
		e.Header, e.Marker = a.header(c), c.between.markerLine()
	}
	return e
}

// inUpstreamsOrder returns the changes of upstream's resources in the order of its files; the file with the
// name comes first.
func inUpstreamsOrder(changes []*Change, name string) []*Change {
	out := slices.DeleteFunc(slices.Clone(changes), func(c *Change) bool { return !c.Has(identity.Upstream) || c.list != nil })
	slices.SortStableFunc(out, func(a, b *Change) int {
		x, y := a.Versions[identity.Upstream], b.Versions[identity.Upstream]
		switch {
		case x.File == y.File:
			return x.Index - y.Index
		case x.File == name:
			return -1
		case y.File == name:
			return 1
		}
		return strings.Compare(x.File, y.File)
	})
	return out
}

// textIn returns the text of the resource for a file with another text of it; nil if they are equal.
func (r *Resource) textIn(was []byte) []byte {
	text := r.item.Text()
	if bytes.Equal(text, was) {
		return nil
	}
	return text
}

// isSameButForBreak reports whether one of two texts is the other with a line break at its end.
func isSameButForBreak(a, b []byte) bool {
	return len(a) != len(b) && bytes.Equal(bytes.TrimSuffix(a, []byte("\n")), bytes.TrimSuffix(b, []byte("\n")))
}

// modeOf returns the mode of a file (rules/files: modes): local's, unless only upstream changed it.
func modeOf(sides [3]*content) fs.FileMode {
	o, u, l := sides[identity.Origin], sides[identity.Upstream], sides[identity.Local]
	switch {
	case l == nil:
		return u.Mode
	case u != nil && o != nil && o.Mode == l.Mode:
		return u.Mode
	}
	return l.Mode
}

// place numbers the added and moved resources, and returns the resources of the result in order
// (rules/placement: moved resources): local's resources in local's order; each added one after its nearest
// present predecessor of upstream, else first in its file, else first of all.
func (a *assembly) place(changes []*Change) ([]*Change, error) {
	of := byVersion(changes)
	var upstream []*Change
	for _, r := range a.packages[identity.Upstream].Resources {
		upstream = append(upstream, of[r])
	}
	if a.driven == nil {
		if err := a.placeAdded(changes, upstream).listFiles(changes); err != nil {
			return nil, err
		}
	}
	number(changes, upstream)
	var present []*Change
	for _, r := range a.packages[identity.Local].Resources {
		if of[r].stays() {
			present = append(present, of[r])
		}
	}
	if a.options.Profile == Branch {
		upstream = align.Behind(present, upstream, (*Change).isLocals)
	}
	return arrange(present, upstream), nil
}

// isLocals reports whether local alone added the resource.
func (c *Change) isLocals() bool { return !c.Has(identity.Origin) && !c.Has(identity.Upstream) }

// number sets the index of each added or moved resource: after the last one of its file. upstream has the
// changes in upstream's order.
func number(changes, upstream []*Change) {
	next := map[string]int{}
	for _, c := range changes {
		if c.stays() && !c.Moved {
			next[c.file] = max(next[c.file], c.Result.Index+1)
		}
	}
	for _, c := range upstream {
		if c.Action == Added || c.Moved {
			c.Result.Index = next[c.file]
			next[c.file]++
		}
	}
}

// arrange returns the present and the added resources in the order of the result.
func arrange(present, upstream []*Change) []*Change {
	files := make(map[string]bool, len(present))
	for _, c := range present {
		files[c.file] = true
	}
	placed := slices.DeleteFunc(slices.Clone(upstream), func(c *Change) bool { return !c.stays() && c.Action != Added })
	alone, after := align.Place(placed, (*Change).stays)
	var first []*Change
	inFile := map[string][]*Change{}
	for _, c := range alone {
		if files[c.file] {
			inFile[c.file] = append(inFile[c.file], c)
		} else {
			first = append(first, c)
		}
	}
	out := first
	for _, c := range present {
		out = append(out, inFile[c.file]...)
		delete(inFile, c.file)
		out = append(append(out, c), after[c]...)
	}
	return out
}
