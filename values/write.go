package values

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// isPruned reports whether a line may be removed: nothing in the new chart uses it, or it has the new default.
func (f *Finding) isPruned() bool {
	return f.OverriddenBy == "" && !f.stays && !f.line.isAnchored && (f.Class == Redundant || f.Class == Dead)
}

// isEdited reports whether a line moves, or may be removed.
func (f *Finding) isEdited() bool { return f.Class == Renamed || f.isPruned() }

// Edits returns the user's files for the new chart: lines whose field was renamed are moved, and with prune lines that
// are redundant or dead are removed. Findings for which keep is true stay as they are.
func (r *Result) Edits(prune bool, keep func(*Finding) bool) ([]pkgmerge.File, error) {
	var files []pkgmerge.File
	for _, u := range r.files {
		e := &edit{user: u, removed: map[string]bool{}, texts: map[string]*yamlnodes.Node{}, isField: r.isField}
		for _, f := range r.Findings {
			if f.File != u.name || f.line == nil || f.line.fixed || keep(f) {
				continue
			}
			switch {
			case f.Class == Renamed && f.line.split != nil:
				e.split(f.line)
			case f.Class == Renamed:
				e.removed[joined(f.Path)] = true
				e.moved = append(e.moved, rename{f.Path, f.NewPath})
			case prune && f.isPruned():
				e.removed[joined(f.Path)] = true
			}
		}
		data, err := e.apply()
		if err != nil {
			return nil, fmt.Errorf("%s: the edits cannot be written, perhaps for an anchor in a line that moves; make them by hand: %w", u.name, err)
		}
		files = append(files, pkgmerge.File{Name: u.name, Data: u.encoding.Encode(slices.Concat(data, u.rest))})
	}
	return files, nil
}

// maxDepth limits how many maps above each other are moved as one.
const maxDepth = 20

// edit has the lines of a file to remove and to move.
type edit struct {
	user    *userFile
	removed map[string]bool
	moved   []rename
	// texts are the values of moved fields that are parts of the line's.
	texts map[string]*yamlnodes.Node
	// isField reports whether a version of the chart or the user's values have a field at a path.
	isField func(path []string) bool
	// filled are the paths at and above those to which fields move, and emptied those at and above removed lines.
	filled, emptied map[string]bool
}

// apply returns the text of the file with the edits: only lines that change change.
func (e *edit) apply() ([]byte, error) {
	if len(e.removed) == 0 {
		return e.user.data, nil
	}
	for range maxDepth {
		e.moved = e.lifted(e.user.text.Root())
	}
	slices.SortFunc(e.moved, func(a, b rename) int { return cmp.Compare(e.lineOf(a.from), e.lineOf(b.from)) })
	e, err := e.rekeyed()
	if err != nil {
		return nil, err
	}
	if len(e.removed) == 0 {
		return e.user.data, nil
	}
	return e.write()
}

// write returns the text without the lines that are removed, and with the fields that move in their new places.
func (e *edit) write() ([]byte, error) {
	root := e.user.text.Root()
	e.filled, e.emptied = map[string]bool{}, map[string]bool{}
	for _, m := range e.moved {
		addAbove(e.filled, m.to)
	}
	for _, l := range e.user.lines {
		if e.removed[joined(l.path)] {
			addAbove(e.emptied, l.path)
		}
	}
	part := e.without(root, nil)
	if part == nil && len(e.moved) == 0 {
		head, foot := outerComments(e.user.data)
		return slices.Concat(head, e.settings(root), []byte("{}\n"), foot), nil
	}
	isEmptied := part == nil
	if isEmptied {
		part = &parts.Part{Value: &yamlnodes.Node{Kind: yamlnodes.MappingNode, Tag: "!!map"}, Local: parts.Entry{Value: root}, Parts: []parts.Part{}, Notes: map[*yamlnodes.Node]int{}}
		for key := range yamlnode.Pairs(root) {
			e.keepSettings(part, key, nil)
		}
	}
	for _, m := range e.moved {
		key, value := nodeAt(root, m.from)
		text := e.texts[joined(m.to)]
		if text == nil {
			add(part, m, 0, key, value)
			continue
		}
		add(part, m, 0, &yamlnodes.Node{Kind: yamlnodes.ScalarNode, Tag: "!!str"}, text)
		partAt(part, m.to[:len(m.to)-1]).Key.HeadComment = key.HeadComment
	}
	data, _, err := manifest.Edit(e.user.text, e.user.text, *part)
	if _, foot := outerComments(e.user.data); isEmptied && !bytes.HasSuffix(data, foot) {
		data = append(data, foot...)
	}
	return data, err
}

func (e *edit) lineOf(path []string) int {
	key, _ := nodeAt(e.user.text.Root(), path)
	return key.Line
}

// rekeyed returns the edit of the text in which the keys of moved fields have their new names where they are, so that
// the fields can move to another map with their text.
func (e *edit) rekeyed() (*edit, error) {
	data, renamed := e.renameKeys()
	if len(renamed) == 0 {
		return e, nil
	}
	user, err := readUserFile(pkgmerge.File{Name: e.user.name, Data: data})
	if err != nil {
		return nil, err
	}
	next := &edit{user: user, removed: map[string]bool{}, texts: e.texts, isField: e.isField}
	for path := range e.removed {
		next.removed[joined(withNames(strings.Split(path, "\x00"), renamed))] = true
	}
	for _, m := range e.moved {
		if from := withNames(m.from, renamed); !slices.Equal(from, m.to) {
			next.moved = append(next.moved, rename{from, m.to})
		} else {
			delete(next.removed, joined(from))
			next.keep(from)
		}
	}
	return next, nil
}

// renameKeys returns the text in which the keys of moved fields have their new names, and these names by the former paths.
// A key stays if its map has the name already.
func (e *edit) renameKeys() (data []byte, renamed map[string]string) {
	data, renamed = e.user.data, map[string]string{}
	for _, m := range e.moved {
		name := m.to[len(m.to)-1]
		key, _ := nodeAt(e.user.text.Root(), m.from)
		_, taken := lookup(e.user.values, append(slices.Clone(m.from[:len(m.from)-1]), name))
		at := offsetOf(e.user.data, key)
		if key.Value == name || taken || at < 0 || e.texts[joined(m.to)] != nil {
			continue
		}
		renamed[joined(m.from)] = name
		at += len(data) - len(e.user.data) // keys are in the order of the text
		data = slices.Concat(data[:at], []byte(name), data[at+len(key.Value):])
	}
	return data, renamed
}

// keep takes the lines at and below a path off the removed ones.
func (e *edit) keep(path []string) {
	for removed := range e.removed {
		if hasPrefix(strings.Split(removed, "\x00"), path) {
			delete(e.removed, removed)
		}
	}
}

// withNames returns a path with the new names of its keys.
func withNames(path []string, renamed map[string]string) []string {
	out := slices.Clone(path)
	for depth := range path {
		if name, is := renamed[joined(path[:depth+1])]; is {
			out[depth] = name
		}
	}
	return out
}

// offsetOf returns where a plain key begins in a text, below 0 if it is written in another way.
func offsetOf(text []byte, key *yamlnodes.Node) int {
	at := 0
	for range key.Line - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	if at += key.Column - 1; key.Style != 0 || !bytes.HasPrefix(text[min(at, len(text)):], []byte(key.Value)) {
		return -1
	}
	return at
}

// mapMove is a move of fields of one map to another one.
type mapMove struct{ from, to string }

// lifted returns the moves, with one of a map in place of moves of all its fields to another map, so that the map's
// comments and form move too.
func (e *edit) lifted(root *yamlnodes.Node) (out []rename) {
	order, groups, targets := groupMoves(e.moved)
	for _, at := range order {
		group := groups[at]
		from, to := group[0].from[:len(group[0].from)-1], group[0].to[:len(group[0].to)-1]
		_, taken := lookup(e.user.values, to)
		_, value := nodeAt(root, from)
		if at.to == "" || targets[at.to] > 1 || taken || value == nil || value.Kind != yamlnodes.MappingNode || len(value.Content) != 2*len(group) {
			out = append(out, group...)
			continue
		}
		out = append(out, rename{from, to})
	}
	return out
}

// groupMoves groups moves by the maps from which and to which they lead, in their order, and counts the maps that lead to
// each. A move that changes the name stays alone, with no target.
func groupMoves(moved []rename) (order []mapMove, groups map[mapMove][]rename, targets map[string]int) {
	groups, targets = map[mapMove][]rename{}, map[string]int{}
	for _, m := range moved {
		from, to := m.from[:len(m.from)-1], m.to[:len(m.to)-1]
		at := mapMove{joined(from), joined(to)}
		if m.from[len(m.from)-1] != m.to[len(m.to)-1] || len(from) == 0 || len(to) == 0 {
			at = mapMove{joined(m.from), ""}
		}
		if groups[at] == nil {
			order = append(order, at)
			targets[at.to]++
		}
		groups[at] = append(groups[at], m)
	}
	return order, groups, targets
}

// without returns a map without the lines that are removed, nil if none is left.
func (e *edit) without(n *yamlnodes.Node, path []string) *parts.Part {
	out := *n
	out.Content = nil
	part := &parts.Part{Value: &out, Local: parts.Entry{Value: n}, Parts: []parts.Part{}, Notes: map[*yamlnodes.Node]int{}}
	for key, value := range yamlnode.Pairs(n) {
		at := append(slices.Clone(path), key.Value)
		field := e.field(key, value, at)
		if field == nil {
			e.keepSettings(part, key, path)
			continue
		}
		field.Key, field.Local.Key = key, key
		out.Content = append(out.Content, key, field.Value)
		part.Parts = append(part.Parts, *field)
	}
	if len(part.Parts) == 0 && len(n.Content) > 0 {
		return nil
	}
	return part
}

// field returns a field without the lines that are removed, nil if none is left. A map {} that is filled gets lines of
// its own.
func (e *edit) field(key, value *yamlnodes.Node, at []string) *parts.Part {
	isMap := value.Kind == yamlnodes.MappingNode
	switch {
	case e.removed[joined(at)]:
		return nil
	case isMap && len(value.Content) > 0 && (e.filled[joined(at)] || e.emptied[joined(at)]):
		return e.without(value, at)
	case isMap && len(value.Content) == 0 && e.filled[joined(at)]:
		return &parts.Part{Value: &yamlnodes.Node{Kind: yamlnodes.MappingNode, Tag: "!!map"}, Parts: []parts.Part{}}
	}
	return &parts.Part{Value: value, Local: parts.Entry{Key: key, Value: value}, From: parts.Local}
}

// addAbove adds a path and all paths above it to a set.
func addAbove(set map[string]bool, path []string) {
	for depth := range path {
		set[joined(path[:depth+1])] = true
	}
}

// keepSettings notes in a map at a path that the commented-out settings above a field stay when it goes, unless it moves.
func (e *edit) keepSettings(in *parts.Part, key *yamlnodes.Node, path []string) {
	if settings, notes := e.commentAbove(key, path); len(settings) > 0 && !e.moves(append(slices.Clone(path), key.Value)) {
		in.Notes[key] = len(notes)
	}
}

// moves reports whether a line at or below a path moves.
func (e *edit) moves(path []string) bool {
	return slices.ContainsFunc(e.moved, func(m rename) bool { return hasPrefix(m.from, path) })
}

// add adds a field that moved to a map at some depth of the values, below maps that are made if needed. It comes where
// the field was, if that is the same map, else last.
func add(to *parts.Part, m rename, depth int, key, value *yamlnodes.Node) {
	name := m.to[depth]
	at := slices.IndexFunc(to.Parts, func(p parts.Part) bool { return p.Key.Value == name })
	if at < 0 {
		field := parts.Part{Key: &yamlnodes.Node{Kind: yamlnodes.ScalarNode, Tag: "!!str", Value: name}}
		if depth == len(m.to)-1 {
			field = movedField(m, key, value)
		} else {
			field.Value, field.Parts = &yamlnodes.Node{Kind: yamlnodes.MappingNode, Tag: "!!map"}, []parts.Part{}
		}
		at = len(to.Parts)
		if depth < len(m.from) && slices.Equal(m.from[:depth], m.to[:depth]) && to.Local.Value != nil {
			at = keptBefore(to, m.from[depth])
		}
		to.Value.Content = slices.Insert(to.Value.Content, 2*at, field.Key, field.Value)
		to.Parts = slices.Insert(to.Parts, at, field)
	}
	if depth < len(m.to)-1 {
		add(&to.Parts[at], m, depth+1, key, value)
	}
}

// movedField returns a field that moved: with the text that it had, if it has the same name.
func movedField(m rename, key, value *yamlnodes.Node) parts.Part {
	moved := *key
	moved.Value = m.to[len(m.to)-1]
	field := parts.Part{Key: &moved, Value: value, From: parts.Upstream}
	if moved.Value == key.Value {
		field.Upstream = parts.Entry{Key: key, Value: value}
	}
	return field
}

// keptBefore returns the index in a map's parts behind the last kept field that stood before a name.
func keptBefore(to *parts.Part, name string) int {
	was := to.Local.Value.Content
	kept := 0
	for i := 0; i+1 < len(was) && was[i].Value != name; i += 2 {
		if at := slices.IndexFunc(to.Parts, func(p parts.Part) bool { return p.Local.Key == was[i] }); at >= 0 {
			kept = at + 1
		}
	}
	return kept
}

// nodeAt returns the key and the value of a field.
func nodeAt(n *yamlnodes.Node, path []string) (key, value *yamlnodes.Node) {
	if len(path) == 0 {
		return nil, nil
	}
	for key, value := range yamlnode.Pairs(n) {
		if key.Value == path[0] && len(path) == 1 {
			return key, value
		} else if key.Value == path[0] {
			return nodeAt(value, path[1:])
		}
	}
	return nil, nil
}
