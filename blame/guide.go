package blame

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// guide is the tree of a document's fields. With it an older version of the document is read for these fields alone,
// without a look at the schema.
type guide struct {
	leaf  *leaf
	field string
	keys  []merge.KeyValue // of an element
	// texts are the canonical values of the keys, "" for a part that the element lacks.
	texts []string
	parts []*guide
}

func newGuide(d *document) *guide {
	root := &guide{}
	above := []*guide{root}
	for i := range d.leaves {
		l := &d.leaves[i]
		steps := l.path.Steps()
		last := steps[len(steps)-1]
		one := &guide{leaf: l, field: last.Field, keys: last.Keys}
		for _, key := range last.Keys {
			one.texts = append(one.texts, keyText(key.Value))
		}
		above = above[:len(steps)]
		above[len(steps)-1].parts = append(above[len(steps)-1].parts, one)
		above = append(above, one)
	}
	return root
}

// hasAll reports whether the document was read with all atoms.
func (d *document) hasAll(atoms []*atom) bool {
	return !d.isPartial || !slices.ContainsFunc(atoms, func(a *atom) bool { return !a.isIn(d) })
}

// loadLike reads the fields that a newer version of the document has. It reports false if all have to be read: if there
// are anchors, or elements of one key.
func (d *document) loadLike(newer *document) bool {
	if d.loaded {
		return !d.isPartial || d.guide == newer.guide
	}
	if d.item == nil || newer.item == nil || !newer.loaded {
		return false
	}
	if bytes.ContainsAny(d.text, "&") || bytes.Contains(d.text, []byte("<<")) {
		return false
	}
	full, err := d.item.Parsed()
	if err != nil {
		return false
	}
	if newer.guide == nil {
		newer.guide = newGuide(newer)
	}
	r := guided{document: d, fields: make(map[string]string, len(newer.fields)), leaves: make([]leaf, 0, len(newer.leaves))}
	if !r.read(newer.guide, full.Node) {
		return false
	}
	d.loaded, d.isPartial, d.guide, d.fields, d.leaves = true, true, newer.guide, r.fields, r.leaves
	return true
}

// guided reads fields.
type guided struct {
	*document
	fields map[string]string
	leaves []leaf
}

func (r *guided) read(g *guide, n *yaml.Node) bool {
	if len(g.parts) == 0 {
		return true
	}
	if g.parts[0].keys != nil {
		return n.Kind != yaml.SequenceNode || r.list(g, n)
	}
	if n.Kind != yaml.MappingNode {
		return true
	}
	for i, part := range g.parts {
		at := 2 * i
		if at >= len(n.Content) || n.Content[at].Value != part.field {
			at = indexOf(n, part.field)
		}
		if at >= 0 && !r.part(part, n.Content[at+1], n.Content[at].Line) {
			return false
		}
	}
	return true
}

// indexOf returns the index of a field's key, -1 if there is none.
func indexOf(n *yaml.Node, field string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == field {
			return i
		}
	}
	return -1
}

// part reads a field or an element that begins in a line of the document.
func (r *guided) part(g *guide, n *yaml.Node, line int) bool {
	l := *g.leaf
	l.value, l.line = n, line
	if r.fields[l.name] = ""; l.isWhole {
		r.fields[l.name] = canonical(n)
	}
	r.leaves = append(r.leaves, l)
	return r.read(g, n)
}

// list reads elements by their keys. It reports false if two elements have one key, or one has none.
func (r *guided) list(g *guide, n *yaml.Node) bool {
	used, elements := make([]bool, len(n.Content)), elementKeys{list: n}
	for i, part := range g.parts {
		found, ok := elements.find(part, i, used)
		if !ok {
			return false
		}
		if found < 0 {
			continue
		}
		if used[found] = true; !r.part(part, n.Content[found], n.Content[found].Line) {
			return false
		}
	}
	return true
}

// manyElements is the length from which on a list is not searched for a second element of one key.
const manyElements = 64

// elementKeys has the canonical values of the keys of a list's elements.
type elementKeys struct {
	list  *yaml.Node
	names []string
	texts [][]string // by name and element, "" for a part that an element lacks
}

// find returns the index of the element that may have a key, -1 if there is none. It looks from an index on, and reports
// false if it finds two elements or one that is used.
func (e *elementKeys) find(g *guide, from int, used []bool) (found int, ok bool) {
	found = -1
	for k := range e.list.Content {
		at := (from + k) % len(e.list.Content) // most elements keep their places
		if !e.has(at, g) {
			continue
		}
		if found >= 0 || used[at] {
			return -1, false
		}
		if found = at; len(e.list.Content) > manyElements && k == 0 {
			break // a look at all others would take too long
		}
	}
	return found, true
}

// has reports whether an element may have a key: a part that it lacks may have a default.
func (e *elementKeys) has(at int, g *guide) bool {
	for i, key := range g.keys {
		if text := e.of(key.Name)[at]; text != "" && text != g.texts[i] {
			return false
		}
	}
	return true
}

// of returns the values of a part of the keys, by element.
func (e *elementKeys) of(name string) []string {
	if i := slices.Index(e.names, name); i >= 0 {
		return e.texts[i]
	}
	texts := make([]string, len(e.list.Content))
	for i, element := range e.list.Content {
		if name != "" {
			element = yamlnode.Field(element, name)
		}
		texts[i] = keyText(element)
	}
	e.names, e.texts = append(e.names, name), append(e.texts, texts)
	return texts
}

// keyText returns one text for all spellings of a part of a key, "" for none. A map or a list has a text that no other part
// has.
func keyText(n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		return "\x00"
	}
	return canonical(n)
}
