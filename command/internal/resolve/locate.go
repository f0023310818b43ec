package resolve

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// kinds describes the kinds of resources whose keys of lists need no CRD.
func kinds() *schema.Schema { return schema.New(nil, nil, true) }

// location says which fields a conflict is about.
type location struct {
	// fields are the topmost fields and elements between the markers, none if the file is not YAML, and path is
	// theirs, or that of the map or list that has them all; nil for a whole document.
	fields []field
	path   *merge.Path
	// origin has origin's lines, none if origin lacks the fields, and knowsOrigin says that they are known.
	origin      []byte
	knowsOrigin bool
	// staysDeleted means that a rule for upstream does not bring back all that local deleted.
	staysDeleted bool
	// key is the same for equal conflicts (rules/resolve: equal conflicts); "" if no other is equal.
	key string
}

// locate finds the fields of the conflicts of a file. base is origin's file, if that is known.
func (f *markedFile) locate(base []byte, isKnown bool) {
	var sides [3]outline
	var next [3]int // the line of each side that follows
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		sides[side], next[side] = newOutline(f.resolved(side), kinds()), 1
		f.isYAML = f.isYAML || len(sides[side].fields) > 0
	}
	origin := newOutline(base, kinds()).index()
	for i, c := range f.conflicts {
		above := bytes.Count(f.between[i], []byte("\n"))
		exact := false
		var shown [3][]field
		for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
			from := next[side] + above
			next[side] = from + bytes.Count(c.Sides[side], []byte("\n"))
			found, isExact := sides[side].at(from, c.Sides[side], f.between[i+1])
			if isExact {
				shown[side] = found
			}
			switch {
			case len(c.Sides[side]) == 0 || len(found) == 0 || exact && !isExact:
			case isExact && !exact:
				c.fields, exact = found, true
			default:
				c.addFields(found)
			}
		}
		c.compare(shown)
		c.conclude(origin, isKnown)
	}
}

// compare notes what a rule for the conflict depends on: where the sides have its fields in another order, and whether
// local deleted some.
func (c *conflict) compare(shown [3][]field) {
	ours, theirs := shown[c.local()], shown[c.upstream()]
	at := make(map[string]int, len(ours))
	for i, f := range ours {
		at[f.name()] = i
	}
	last, isReordered := -1, false
	for _, f := range theirs {
		i, found := at[f.name()]
		isReordered = isReordered || found && i < last
		c.staysDeleted = c.staysDeleted || !found && f.staysDeleted
		last = max(last, i)
	}
	if isReordered {
		c.decideLists()
	}
}

// decideLists notes that a merge decides the elements of the conflict with the order of their lists.
func (l location) decideLists() {
	for i, f := range l.fields {
		if steps := f.path.Steps(); steps[len(steps)-1].Keys != nil {
			l.fields[i].decided = f.above
		}
	}
}

// addFields adds the fields that the location lacks.
func (l *location) addFields(more []field) {
	for _, f := range more {
		if !slices.ContainsFunc(l.fields, func(known field) bool { return known.name() == f.name() }) {
			l.fields = append(slices.Clip(l.fields), f)
		}
	}
}

// conclude sets the path, origin's lines and the key of a conflict whose fields are known.
func (c *conflict) conclude(origin map[string]field, isKnown bool) {
	c.readOrigin(origin)
	c.knowsOrigin = c.ShowsBase || isKnown && len(c.fields) > 0
	if len(c.fields) == 0 {
		return
	}
	var names []string
	top := c.fields[0]
	for _, f := range c.fields {
		names = append(names, lastField(f.path))
		if f.depth < top.depth {
			top = f
		}
	}
	switch {
	case len(c.fields) == 1:
		c.path = top.path
	case top.depth == 0 && slices.Contains(names, "kind"): // the whole document
		c.fields, names = c.fields[:1], nil
	default:
		c.path = top.above
	}
	c.key = c.equalKey(names)
}

// equalKey returns a text that equal conflicts have in common: the names of their fields, and the lines of the versions.
func (c *conflict) equalKey(names []string) string {
	return strings.Join([]string{
		strings.Join(names, ","), strconv.FormatBool(c.knowsOrigin), string(c.origin),
		string(dedented(c.Sides[c.upstream()])), string(dedented(c.Sides[c.local()])),
	}, "\x00")
}

// readOrigin sets origin's lines: those between the markers, else the lines of the conflict's fields in origin's file.
func (c *conflict) readOrigin(origin map[string]field) {
	if c.ShowsBase {
		c.origin = dedented(c.Sides[marker.Base])
		return
	}
	for _, f := range c.fields {
		if was, found := origin[f.name()]; found {
			c.origin = append(c.origin, was.text()+"\n"...)
		}
	}
}

// isOneResource reports whether all fields of the conflict are of one document.
func (l location) isOneResource() bool {
	return len(l.fields) > 0 && !slices.ContainsFunc(l.fields, func(f field) bool { return f.meta != l.fields[0].meta })
}

// title names the resource and the fields of a conflict, "" if they are unknown.
func (l location) title() string {
	if len(l.fields) == 0 {
		return ""
	}
	meta := l.fields[0].meta
	title := strings.TrimSpace(wording.Object(meta.Kind, meta.Namespace, meta.Name) + " " + l.path.String())
	var names []string
	for _, f := range l.fields {
		names = append(names, lastField(f.path))
	}
	if names = slices.Compact(names); len(names) > 1 { // not only elements of one list
		if len(names) > 4 {
			names = append(names[:4], wording.Ellipsis)
		}
		title += " (" + strings.Join(names, ", ") + ")"
	}
	return strings.TrimSpace(title)
}

// readGit finds out what git knows of the files: their origin, which conflicts were settled before, and in a
// rebase, which side is the user's (rules/resolve: sides). It drops the markers that a text shows as an
// example, which are in HEAD too.
func (s *session) readGit(ctx context.Context, dir string, settled []gitdriver.Settled) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	tree, err := gitrepo.Git{}.Find(ctx, dir)
	if err != nil {
		return err
	}
	if tree == nil {
		for _, f := range s.files {
			f.locate(nil, false)
			s.conflicts = append(s.conflicts, f.conflicts...)
		}
		s.group()
		return nil
	}
	return s.readConflicts(ctx, dir, settled)
}

// findWhole returns the files below the directory of the walk that git left in conflict without a marker.
func (s *session) findWhole(ctx context.Context) (whole []string, err error) {
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return nil, err
	}
	tree, err := gitrepo.Git{}.Find(ctx, s.Dir)
	if tree == nil || err != nil {
		return nil, err
	}
	names, err := gitdriver.Git{Dir: s.Dir}.Whole(ctx)
	for _, name := range names {
		name = filepath.Join(s.Dir, filepath.FromSlash(name))
		if !slices.ContainsFunc(s.files, func(f *markedFile) bool { return filepath.Clean(f.name) == name }) {
			whole = append(whole, name)
		}
	}
	return whole, err
}

// readConflicts locates the conflicts of a directory in a repository, and adds the settled ones.
func (s *session) readConflicts(ctx context.Context, dir string, settled []gitdriver.Settled) error {
	unmerged, err := gitdriver.Git{Dir: dir}.Unmerged(ctx, nil)
	if err != nil {
		return err
	}
	swapped, err := readSwapped(ctx, dir, unmerged)
	if err != nil {
		return err
	}
	if err := s.readVersions(ctx, dir, unmerged, swapped); err != nil {
		return err
	}
	if settled == nil && len(unmerged) > 0 {
		if settled, err = (gitdriver.Git{Dir: dir}).Settled(ctx, nil); err != nil {
			return err
		}
	}
	err = s.addSettled(ctx, dir, settled, swapped)
	s.group()
	return err
}

// readVersions locates the conflicts with git's versions of the files.
func (s *session) readVersions(ctx context.Context, dir string, unmerged []string, swapped *swapped) error {
	objects, err := s.objectNames(dir, unmerged)
	if err != nil {
		return err
	}
	texts, err := readObjects(ctx, dir, objects)
	if err != nil {
		return err
	}
	var files []*markedFile
	for i, f := range s.files {
		if shown, _ := marker.Read(texts[i], 0); !f.isUnmerged && !file.IsStructured(filepath.ToSlash(f.name)) && len(shown) >= len(f.conflicts) {
			continue
		}
		for _, c := range f.conflicts {
			swapped.note(c)
		}
		f.locate(texts[i], f.isUnmerged)
		files, s.conflicts = append(files, f), append(s.conflicts, f.conflicts...)
	}
	s.files = files
	return nil
}

// objectNames returns git's names of the versions that show where the conflicts are: the base of an unmerged file, and
// HEAD's of another.
func (s *session) objectNames(dir string, unmerged []string) (objects []string, err error) {
	isUnmerged := map[string]bool{}
	for _, name := range unmerged {
		isUnmerged[name] = true
	}
	for _, f := range s.files {
		below, err := filepath.Rel(dir, f.name)
		if err != nil {
			return nil, err
		}
		name, revision := filepath.ToSlash(below), "HEAD"
		if f.isUnmerged = isUnmerged[name]; f.isUnmerged {
			revision = ":1"
		}
		objects = append(objects, revision+":./"+name)
	}
	return objects, nil
}

// readObjects reads objects of git, nil for missing ones.
func readObjects(ctx context.Context, dir string, objects []string) ([][]byte, error) {
	texts := make([][]byte, len(objects))
	if len(objects) == 0 {
		return texts, nil
	}
	out, _, err := gitrepo.Inside(ctx, dir, strings.NewReader(strings.Join(objects, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for i := range objects {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		fields := strings.Fields(string(head))
		if out = rest; len(fields) == 3 && fields[1] == "blob" {
			size, err := strconv.Atoi(fields[2])
			if err != nil || size >= len(rest) {
				return nil, fmt.Errorf("git cat-file: %q is no header of an object", head)
			}
			texts[i], out = rest[:size], rest[size+1:]
		}
	}
	return texts, nil
}
