package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Finder finds fields and elements of one resource by their paths. It indexes large maps and lists on the first
// visit, so that many paths take one pass (rules/reading: bounds). It is not safe for concurrent use.
type Finder struct {
	resource *yaml.Node
	maps     map[*yaml.Node]map[string]int // the indices of keys by name
	lists    map[*yaml.Node]*elementIndex
}

// NewFinder returns a finder for paths of a resource.
func NewFinder(resource *yaml.Node) *Finder {
	return &Finder{resource: resource, maps: map[*yaml.Node]map[string]int{}, lists: map[*yaml.Node]*elementIndex{}}
}

// manyParts is the length from which on a finder indexes a map or list.
const manyParts = 32

// Find returns the node that the path leads to: the key of a field, or an element. If the path leads nowhere, it
// returns the nearest node above, at last the resource, and whole is false.
func (f *Finder) Find(p *Path) (at *yaml.Node, whole bool) {
	at, _, whole = f.find(p)
	return at, whole
}

// Value returns the value that the path leads to, nil if it leads nowhere.
func (f *Finder) Value(p *Path) *yaml.Node {
	if _, value, whole := f.find(p); whole {
		return value
	}
	return nil
}

// find is Find, and returns the value too.
func (f *Finder) find(p *Path) (at, value *yaml.Node, whole bool) {
	if p == nil {
		return f.resource, yamlnode.Resolve(f.resource), true
	}
	at, value, whole = f.find(p.parent)
	if !whole {
		return at, value, false
	}
	if p.keys == nil {
		if key, v := f.entry(value, p.field); key != nil {
			return key, v, true
		}
	} else if e := f.element(value, p.keys); e != nil {
		return e, yamlnode.Resolve(e), true
	}
	return at, value, false
}

// entry returns a field of a mapping, which may come from a merge key.
func (f *Finder) entry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil
	}
	if len(mapping.Content) < manyParts {
		if key, value = yamlnode.Entry(mapping, name); key != nil {
			return key, value
		}
		return mergedEntry(mapping, name)
	}
	index, known := f.maps[mapping]
	if !known {
		index = make(map[string]int, len(mapping.Content)/2)
		for i := len(mapping.Content) - 2; i >= 0; i -= 2 {
			index[yamlnode.Resolve(mapping.Content[i]).Value] = i
		}
		f.maps[mapping] = index
	}
	if i, found := index[name]; found {
		return mapping.Content[i], yamlnode.Resolve(mapping.Content[i+1])
	}
	if _, merges := index["<<"]; !merges {
		return nil, nil
	}
	return mergedEntry(mapping, name)
}

// element returns the first element of a list that has a key, nil if there is none.
func (f *Finder) element(list *yaml.Node, keys []KeyValue) *yaml.Node {
	elements := yamlnode.Elements(list)
	if len(elements) < manyParts {
		return firstWithKey(elements, keys)
	}
	index := f.lists[list]
	if index == nil || !index.isOf(keys) {
		index = newElementIndex(elements, keys)
		f.lists[list] = index
	}
	return index.find(keys)
}

// mergedEntry returns a field that comes from a merge key.
func mergedEntry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for mergeKey, merged := range yamlnode.Pairs(mapping) {
		if mergeKey.Tag != "!!merge" {
			continue
		}
		merged = yamlnode.Resolve(merged)
		for _, m := range append(yamlnode.Elements(merged), merged) {
			if key, value = yamlnode.Entry(yamlnode.Resolve(m), name); key != nil {
				return key, value
			}
		}
	}
	return nil, nil
}

// elementIndex indexes the elements of a list by the parts of a key.
type elementIndex struct {
	elements []*yaml.Node
	names    []string // of the parts of the key
	// by has the indices of elements by the text of their parts, and having the sets of parts that elements have.
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

func (x *elementIndex) isOf(keys []KeyValue) bool {
	return slices.EqualFunc(x.names, keys, func(name string, k KeyValue) bool { return name == k.Name })
}

// find is firstWithKey with the index.
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

// partsText returns a text that two keys of scalars share if and only if their parts are equal.
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

// hasKeyOf reports whether an element of a list has a key. A part that the element lacks may have a default.
func hasKeyOf(e *yaml.Node, keys []KeyValue) bool {
	for _, k := range keys {
		if part := keyPartOf(e, k.Name); part != nil && k.Value != nil && !Same(part, k.Value) {
			return false
		}
	}
	return true
}

// keyPartOf returns a part of an element's key, nil if the element lacks it. A resource has its key in the metadata.
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
	if i := slices.IndexFunc(elements, func(e *yaml.Node) bool { return hasKeyOf(yamlnode.Resolve(e), keys) }); i >= 0 {
		return elements[i]
	}
	return nil
}
