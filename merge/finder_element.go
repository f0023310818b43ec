package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// elementIndex are the elements of a list by what they have of a key.
type elementIndex struct {
	elements []*yaml.Node
	names    []string // of the parts of the key
	// by is by the parts that an element has the indices of all such elements; having are
	// these sets of parts.
	by     map[string][]int
	having [][]bool
}

func newElementIndex(elements []*yaml.Node, keys []KeyValue) *elementIndex {
	x := &elementIndex{elements: elements, by: map[string][]int{}}
	for _, k := range keys {
		x.names = append(x.names, k.Name)
	}
	for i, e := range elements {
		parts, has := make([]*yaml.Node, len(keys)), make([]bool, len(keys))
		for at, k := range keys {
			parts[at] = keyPartOf(yamlnode.Resolve(e), k.Name)
			has[at] = parts[at] != nil
		}
		if !slices.ContainsFunc(x.having, func(other []bool) bool { return slices.Equal(other, has) }) {
			x.having = append(x.having, has)
		}
		text := partsText(parts)
		x.by[text] = append(x.by[text], i)
	}
	return x
}

// isOf reports whether the index is by the parts of a key.
func (x *elementIndex) isOf(keys []KeyValue) bool {
	return slices.EqualFunc(x.names, keys, func(name string, k KeyValue) bool { return name == k.Name })
}

// find is firstWithKey.
func (x *elementIndex) find(keys []KeyValue) *yaml.Node {
	if slices.ContainsFunc(keys, func(k KeyValue) bool { return k.Value == nil || k.Value.Kind != yaml.ScalarNode }) {
		return firstWithKey(x.elements, keys)
	}
	first := -1
	for _, has := range x.having {
		parts := make([]*yaml.Node, len(keys))
		for at, k := range keys {
			if has[at] {
				parts[at] = k.Value
			}
		}
		if found := x.by[partsText(parts)]; len(found) > 0 && (first < 0 || found[0] < first) {
			first = found[0]
		}
	}
	if first < 0 {
		return nil
	}
	return x.elements[first]
}

// partsText is a text that keys of scalars share if and only if their parts are the same.
func partsText(parts []*yaml.Node) string {
	var b strings.Builder
	for _, part := range parts {
		switch {
		case part == nil:
			b.WriteString("-")
		case part.Kind != yaml.ScalarNode:
			b.WriteString("*")
		default:
			b.WriteString("+" + canonical(part))
		}
	}
	return b.String()
}

// hasKeyOf reports whether an element of a list has a key. A part that it lacks may
// have a default, or is that of a resource in a list of such.
func hasKeyOf(e *yaml.Node, keys []KeyValue) bool {
	for _, k := range keys {
		if part := keyPartOf(e, k.Name); part != nil && k.Value != nil && !Same(part, k.Value) {
			return false
		}
	}
	return true
}

// keyPartOf is a part of the key of an element, nil if the element lacks it.
func keyPartOf(e *yaml.Node, name string) *yaml.Node {
	if name == "" {
		return e
	}
	if part := yamlnode.Lookup(e, strings.Split(name, ".")...); part != nil {
		return part
	}
	return yamlnode.Lookup(e, "metadata", name)
}

func firstWithKey(elements []*yaml.Node, keys []KeyValue) *yaml.Node {
	for _, e := range elements {
		if hasKeyOf(yamlnode.Resolve(e), keys) {
			return e
		}
	}
	return nil
}
