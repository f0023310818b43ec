package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Find is where the path leads in a resource: the key of a field, or an element.
// Where the path leads to nothing, it is what is nearest above and there, and the
// resource itself at last. whole reports whether the path leads there to its end.
func (p *Path) Find(resource *yaml.Node) (at *yaml.Node, whole bool) {
	at, _, whole = p.find(resource)
	return at, whole
}

// find is Find, with the value of the field.
func (p *Path) find(resource *yaml.Node) (at, value *yaml.Node, whole bool) {
	if p == nil {
		return resource, yamlnode.Resolve(resource), true
	}
	at, value, whole = p.parent.find(resource)
	if !whole {
		return at, value, false
	}
	if p.keys == nil {
		if key, v := entryAt(value, p.field); key != nil {
			return key, v, true
		}
		return at, value, false
	}
	for _, e := range yamlnode.Elements(value) {
		if hasKeyOf(yamlnode.Resolve(e), p.keys) {
			return e, yamlnode.Resolve(e), true
		}
	}
	return at, value, false
}

// entryAt is a field of a mapping, also one that a merge key brings.
func entryAt(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if key, value = yamlnode.Entry(mapping, name); key != nil || mapping == nil || mapping.Kind != yaml.MappingNode {
		return key, value
	}
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

// hasKeyOf reports whether an element of a list has a key. A part that it lacks may
// have a default, or is that of a resource in a list of such.
func hasKeyOf(e *yaml.Node, keys []KeyValue) bool {
	for _, k := range keys {
		part := e
		if k.Name != "" {
			if part = yamlnode.Lookup(e, strings.Split(k.Name, ".")...); part == nil {
				part = yamlnode.Lookup(e, "metadata", k.Name)
			}
		}
		if part != nil && k.Value != nil && !Same(part, k.Value) {
			return false
		}
	}
	return true
}

// Value is the value that the path leads to in a resource, nil if it leads to nothing.
func (p *Path) Value(resource *yaml.Node) *yaml.Node {
	if _, value, whole := p.find(resource); whole {
		return value
	}
	return nil
}
