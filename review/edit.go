package review

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/values"
)

// spot is the place of a line in its entry, for edits. It is empty for a line that is never edited.
type spot struct {
	use *kustomize.Use
	// node is removed with the line: the leaf's key or element, an operation, or the entry; nil if the line stays.
	node *yamlnodes.Node
	// renamed is the scalar that has the old name, and to the new one.
	renamed *yamlnodes.Node
	to      string
	// inEntry says that these are nodes of the kustomization, and not of the patch.
	inEntry bool
}

// layerEdits returns the changes of the files of layers: lines that moved get their new names, and those that remove accepts are removed,
// with the maps and lists that are empty then. Lines in braces and in quoted texts stay.
func layerEdits(in kustomize.Files, lines []*Line, remove func(*Line) bool) (changes []values.Replacement, err error) {
	texts := map[string]*layerText{}
	for _, l := range lines {
		if l.spot.use == nil {
			continue
		}
		for _, name := range []string{l.spot.use.File, l.spot.use.EntryFile} {
			if texts[name] == nil {
				data, err := in.Read(name)
				if err != nil {
					return nil, err
				}
				texts[name] = &layerText{name: name, data: data, removed: map[*yamlnodes.Node]bool{}}
			}
		}
		text, shift := texts[l.spot.use.File], l.spot.use.Shift
		if l.spot.inEntry {
			text, shift = texts[l.spot.use.EntryFile], 0
		}
		switch {
		case l.spot.use.IsFixed && !l.spot.inEntry:
		case l.Class == Renamed && l.spot.renamed != nil:
			text.rename(l.spot.renamed, shift, l.spot.to)
		case l.spot.node != nil && remove(l):
			text.remove(l.spot, shift)
		}
	}
	for _, l := range lines {
		u := l.spot.use
		if u != nil && u.Layer == "replacements" && texts[u.EntryFile].isGone(yamlnode.Field(u.Entry, "targets")) {
			texts[u.EntryFile].remove(spot{use: u, node: u.Entry, inEntry: true}, 0) // a replacement without targets is an error
		}
		if u == nil || u.Node == u.Entry || u.Node.Kind != yamlnodes.SequenceNode || !texts[u.File].isGone(u.Node) {
			continue
		}
		texts[u.File].roots = slices.DeleteFunc(texts[u.File].roots, func(r layerRoot) bool { return r.node == u.Node })
		texts[u.EntryFile].remove(spot{use: u, node: u.Entry, inEntry: true}, 0) // a patch without operations is an error
	}
	for _, text := range texts {
		changes = append(changes, text.changes...)
		for _, r := range text.roots {
			if !text.isEmptied(r) {
				text.cut(r.node, r.shift)
			}
		}
		changes = append(changes, text.cuts...)
	}
	slices.SortFunc(changes, func(a, b values.Replacement) int {
		return strings.Compare(fmt.Sprint(a.File, a.Start), fmt.Sprint(b.File, b.Start))
	})
	return changes, nil
}

// layerText is a file with lines of layers.
type layerText struct {
	name    string
	data    []byte
	removed map[*yamlnodes.Node]bool
	roots   []layerRoot
	changes []values.Replacement
	cuts    []values.Replacement
}

// layerRoot is a tree in a text, and the number of lines above it. It is a kustomization, or a patch.
type layerRoot struct {
	node            *yamlnodes.Node
	shift           int
	isKustomization bool
}

// isEmptied reports whether nothing is left of a kustomization, which is an error.
func (t *layerText) isEmptied(r layerRoot) bool {
	if !r.isKustomization || r.node.Kind != yamlnodes.MappingNode {
		return false
	}
	for key, v := range yamlnode.Pairs(r.node) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, key.Value) && !t.removed[key] && !t.isGone(v) {
			return false
		}
	}
	return true
}

// rename replaces a scalar.
func (t *layerText) rename(n *yamlnodes.Node, shift int, to string) {
	start := t.lineStart(n.Line + shift)
	line := t.data[start:t.lineStart(n.Line+shift+1)]
	at := bytes.LastIndex(line, []byte(n.Value))
	if at < 0 || n.Style&(yamlnodes.LiteralStyle|yamlnodes.FoldedStyle) != 0 {
		return
	}
	t.changes = append(t.changes, values.Replacement{File: t.name, Start: start + at, End: start + at + len(n.Value), Text: []byte(to)})
}

// remove notes a node that goes.
func (t *layerText) remove(s spot, shift int) {
	t.removed[s.node] = true
	root := s.use.Node
	if s.inEntry {
		root = s.use.Root
	}
	if r := (layerRoot{root, shift, s.inEntry}); !slices.Contains(t.roots, r) {
		t.roots = append(t.roots, r)
	}
}

// isGone reports whether all of a value goes.
func (t *layerText) isGone(n *yamlnodes.Node) bool {
	switch {
	case n == nil:
		return false
	case t.removed[n]:
		return true
	case n.Kind == yamlnodes.SequenceNode && len(n.Content) > 0:
		return !slices.ContainsFunc(n.Content, func(e *yamlnodes.Node) bool { return !t.isGone(e) })
	case n.Kind == yamlnodes.MappingNode && len(n.Content) > 0:
		for key, v := range yamlnode.Pairs(n) {
			if !t.removed[key] && !t.isGone(v) {
				return false
			}
		}
		return true
	}
	return false
}

// cut removes the nodes below a node that go.
func (t *layerText) cut(n *yamlnodes.Node, shift int) {
	switch n.Kind {
	case yamlnodes.SequenceNode:
		for _, e := range n.Content {
			if t.isGone(e) {
				t.cutLines(e.Line+shift, true, false)
			} else {
				t.cut(e, shift)
			}
		}
	case yamlnodes.MappingNode:
		for key, v := range yamlnode.Pairs(n) {
			if t.removed[key] || t.isGone(v) {
				t.cutLines(key.Line+shift, false, v.Kind == yamlnodes.SequenceNode)
			} else {
				t.cut(v, shift)
			}
		}
	}
}

// lineStart returns the place where a line begins, counted from 1.
func (t *layerText) lineStart(number int) int {
	at := 0
	for ; number > 1 && at < len(t.data); number-- {
		end := bytes.IndexByte(t.data[at:], '\n')
		if end < 0 {
			return len(t.data)
		}
		at += end + 1
	}
	return at
}

// cutLines removes the lines of a field or element that begins in a line of its own, with the comment above it.
func (t *layerText) cutLines(number int, isElement, isList bool) {
	start, end := t.lineStart(number), t.lineStart(number+1)
	line := t.data[start:end]
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	if isDash := bytes.HasPrefix(line[indent:], []byte("- ")); isDash != isElement {
		return // the first field of an element, or a value in braces
	}
	for above := number - 1; above > 0; above-- {
		from := t.lineStart(above)
		comment := t.data[from:start]
		if !bytes.HasPrefix(bytes.TrimLeft(comment, " "), []byte("#")) || len(comment)-len(bytes.TrimLeft(comment, " ")) != indent {
			break
		}
		start = from
	}
	next := end
	for line := range bytes.Lines(t.data[end:]) { // empty lines go if a line of the value is below them
		its, isEmpty := len(line)-len(bytes.TrimLeft(line, " ")), len(bytes.TrimSpace(line)) == 0
		if !isEmpty && its <= indent && !(isList && its == indent && bytes.HasPrefix(line[its:], []byte("- "))) {
			break
		}
		if next += len(line); !isEmpty {
			end = next
		}
	}
	t.cuts = append(t.cuts, values.Replacement{File: t.name, Start: start, End: end})
}
