// Package parts records the source of each part of a merged resource, so that the resource can be written as
// local's text with edits (rules/comments-and-text: unchanged text).
package parts

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Side is the version from which a part of a result was taken.
type Side int

const (
	// Both means that the merge combined both sides.
	Both Side = iota
	// Upstream is the new version of the package.
	Upstream
	// Local is the user's customised copy.
	Local
)

// Entry is a field or an element of one side: Key is nil in a list, and Value is nil if the side lacks it. At
// is the element's index in the side's list.
type Entry struct {
	Key, Value *yaml.Node
	At         int
}

// Part is a field or an element of a result, or the resource itself, with its sources.
type Part struct {
	// Key and Value are the result's, with comments. Key is nil in a list.
	Key, Value *yaml.Node
	// Local, Upstream and Origin are the versions of the three sides; Origin's is known for parts that were merged.
	Local, Upstream, Origin Entry
	// Parts are the fields or elements of Value, in its order, if they were merged one by one; nil if Value is
	// From's, except for comments.
	Parts []Part
	From  Side
	// Stale are local's keys or elements that upstream deleted, where the comment above is origin's.
	Stale map[*yaml.Node]bool
	// Notes are keys that go while the comment right above stays, but for its last lines, with the number of these.
	Notes map[*yaml.Node]int
}

// Made is embedded in the outcome of a merge, so that only the module's own packages see the parts.
type Made struct{ Part Part }

// With returns p with another value, which differs in comments and in the fields of maps. was is local's full
// version, nil if p has that.
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

// fields returns the parts of a map with other fields.
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
			if !unchanged { // an unchanged part has a tree without aliases, and was may have aliases
				ownValue = was.Content[at+1]
			}
		}
		parts[i] = f.With(value, ownValue)
	}
	return parts
}
