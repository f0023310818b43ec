package krmfunction

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// alikeIndex finds which elements of a list agree with an element of another in the first
// field that may be the key of their list, and that either has. Which lists have keys, for
// kyaml, depends on a schema that is slow to load; that an id is dropped too often does
// little harm.
type alikeIndex struct {
	// by are the elements by their first such field and its value.
	by map[[2]string][]*yaml.Node
}

// keysOfElements are the fields that may be the key of a list, in the order in which kyaml
// asks for them.
func keysOfElements() []string {
	return []string{"name", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "uid", "type", "key"}
}

func newAlikeIndex(elements []*yaml.Node) alikeIndex {
	x := alikeIndex{by: make(map[[2]string][]*yaml.Node, len(elements))}
	for _, e := range elements {
		if key, ok := keyOfElement(e); ok {
			x.by[key] = append(x.by[key], e)
		}
	}
	return x
}

// keyOfElement is the first field of an element that may be its key, with its value; ok is
// false if it has none, or one that is no scalar.
func keyOfElement(e *yaml.Node) (key [2]string, ok bool) {
	for _, name := range keysOfElements() {
		if v := yamlnode.Field(e, name); v != nil {
			return [2]string{name, v.Value}, v.Kind == yaml.ScalarNode
		}
	}
	return key, false
}

// all are the elements that agree with an element.
func (x alikeIndex) all(e *yaml.Node) []*yaml.Node {
	if key, ok := keyOfElement(e); ok {
		return x.by[key]
	}
	return nil
}

// first is the first of all, nil if there is none.
func (x alikeIndex) first(e *yaml.Node) *yaml.Node {
	if all := x.all(e); len(all) > 0 {
		return all[0]
	}
	return nil
}
