// Package parts describes a merged resource by the parts that it was made of, so that it can be
// written as local's text with edits (rules/comments-and-text: unchanged text).
package parts

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Side is the version that a part of a result was taken from.
type Side int

const (
	// Both says that the merge made the part of both sides.
	Both Side = iota
	// Upstream is the new version of the package.
	Upstream
	// Local is the user's customised copy.
	Local
)

// Entry is a field or an element of one side: Key is nil in a list, Value where
// the side lacks it. At is the element's index in the side's list.
type Entry struct {
	Key, Value *yaml.Node
	At         int
}

// Part is a field or an element of a result, or the resource itself, and what it was made of.
type Part struct {
	// Key and Value are the decided ones, comments and all. Key is nil in a list.
	Key, Value *yaml.Node
	// Local and Upstream are its counterparts on the two sides.
	Local, Upstream Entry
	// Parts are the fields or elements of Value in its order, where it was merged
	// part by part; nil where Value is From's, apart from comments.
	Parts []Part
	From  Side
}

// Made is for the outcome of a merge to embed. So the parts are there for the module's own
// packages, which write the text, and are not in the library's documentation.
type Made struct {
	// Part is the resource.
	Part Part
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
		f := Part{Value: value, From: Local}
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
