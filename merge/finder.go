package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Finder finds where paths lead in one resource. It notes what large maps and lists have
// when it first comes by them, so that many paths take no more than one pass (design 9).
// It is for one goroutine.
type Finder struct {
	resource *yaml.Node
	maps     map[*yaml.Node]map[string]int // by name the index of a key
	lists    map[*yaml.Node]*elementIndex
}

// NewFinder returns a finder for many paths of a resource.
func NewFinder(resource *yaml.Node) *Finder {
	return &Finder{resource: resource, maps: map[*yaml.Node]map[string]int{}, lists: map[*yaml.Node]*elementIndex{}}
}

// manyParts is from how many parts on a finder notes what a map or list has.
const manyParts = 32

// find is Find, with the value of the field.
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
		return at, value, false
	}
	if e := f.element(value, p.keys); e != nil {
		return e, yamlnode.Resolve(e), true
	}
	return at, value, false
}

// entry is a field of a mapping, also one that a merge key brings.
func (f *Finder) entry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if f.maps == nil || mapping == nil || mapping.Kind != yaml.MappingNode || len(mapping.Content) < manyParts {
		return entryAt(mapping, name)
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

// element is the first element of a list that has a key, nil if there is none.
func (f *Finder) element(list *yaml.Node, keys []KeyValue) *yaml.Node {
	elements := yamlnode.Elements(list)
	if f.lists == nil || len(elements) < manyParts {
		return firstWithKey(elements, keys)
	}
	index := f.lists[list]
	if index == nil || !index.isOf(keys) {
		index = newElementIndex(elements, keys)
		f.lists[list] = index
	}
	return index.find(keys)
}

// entryAt is a field of a mapping, also one that a merge key brings.
func entryAt(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if key, value = yamlnode.Entry(mapping, name); key != nil || mapping == nil || mapping.Kind != yaml.MappingNode {
		return key, value
	}
	return mergedEntry(mapping, name)
}

// mergedEntry is a field that a merge key brings.
func mergedEntry(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		merged := yamlnode.Resolve(mapping.Content[i+1])
		if mapping.Content[i].Tag != "!!merge" {
			continue
		}
		for _, m := range append(yamlnode.Elements(merged), merged) {
			if key, value = yamlnode.Entry(yamlnode.Resolve(m), name); key != nil {
				return key, value
			}
		}
	}
	return nil, nil
}
