package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Entry is a field or an element of one side: Key is nil in a list, Value where
// the side lacks it. At is the element's index in the side's list.
type Entry struct {
	Key, Value *yaml.Node
	At         int
}

// Part is one place of a result, and what it was made of: so that the result can be
// written as local's text with edits (rules/comments-and-text: unchanged text).
type Part struct {
	// Key and Value are what was decided, comments and all. Key is nil in a list.
	Key, Value *yaml.Node
	// Local and Upstream are what the place stands for on the two sides.
	Local, Upstream Entry
	// Parts are the fields or elements of Value in its order, where it was merged
	// part by part; nil where Value is From's, apart from comments. From origin is what
	// the merge made of both.
	Parts []Part
	From  identity.Side
}

// madeOf says what an element's result was made of: key and v are what was
// emitted for it.
func madeOf(e *element, d decision, key, v *yaml.Node, at [3]int) Part {
	p := Part{Key: key, Value: v, From: local}
	p.Local = Entry{Key: e.key[local], Value: e.value[local], At: at[local]}
	p.Upstream = Entry{Key: e.key[upstream], Value: e.value[upstream], At: at[upstream]}
	switch d.verdict {
	case TakeUpstream:
		p.From = upstream
		return p
	case takeMade:
		p.From = origin
		return p
	case TakeLocal:
		return p
	}
	places := e.places()
	p.Parts = make([]Part, len(d.order))
	for n, i := range d.order {
		if e.form == mapping {
			p.Parts[n] = madeOf(e.children[i], d.children[i], v.Content[2*n], v.Content[2*n+1], places[i])
		} else {
			p.Parts[n] = madeOf(e.children[i], d.children[i], nil, v.Content[n], places[i])
		}
	}
	return p
}

// places are the indices that the children have on the sides.
func (e *element) places() [][3]int {
	places := make([][3]int, len(e.children))
	for _, side := range identity.Sides() {
		for n, i := range e.order[side] {
			places[i][side] = n
		}
	}
	return places
}

// With is p with node for its value: the same with other comments, and with other
// fields in maps. was is local's version with all that is in its text, nil where
// that is what p has.
func (p Part) With(node, was *yaml.Node) Part {
	if node == p.Value && (was == nil || was == p.Local.Value) {
		return p
	}
	before := p.Value
	if p.Value = node; was != nil {
		p.Local.Value = was
	}
	switch {
	case p.Parts == nil:
	case before.Kind != node.Kind || node.Kind == yaml.SequenceNode && len(node.Content) != len(p.Parts):
		p.Parts = nil
	case node.Kind == yaml.MappingNode:
		p.Parts = p.fields(node, was)
	default:
		parts := make([]Part, len(p.Parts))
		for i, e := range p.Parts {
			parts[i] = e.With(node.Content[i], nil)
		}
		p.Parts = parts
	}
	return p
}

// fields are the parts of a map that has other fields than p had.
func (p Part) fields(node, was *yaml.Node) []Part {
	index := make(map[string]int, len(p.Parts))
	for i := range p.Parts {
		index[p.Parts[i].Key.Value] = i
	}
	own := yamlnode.Indices(was)
	parts := make([]Part, len(node.Content)/2)
	for i := range parts {
		key, value := node.Content[2*i], node.Content[2*i+1]
		f := Part{Value: value, From: local}
		if at, found := index[key.Value]; found {
			f = p.Parts[at]
		}
		unchanged := f.Value == value && f.Local.Value != nil
		f.Key = key
		var ownValue *yaml.Node
		if at := own(key.Value); at >= 0 {
			f.Local.Key = was.Content[at]
			if !unchanged { // else its parts are of a tree without aliases, as was need not be
				ownValue = was.Content[at+1]
			}
		}
		parts[i] = f.With(value, ownValue)
	}
	return parts
}
