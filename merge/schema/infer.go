package schema

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// inferable lists the fields that may be a key, in the order in which they are
// tried (design 4, step 5): first those that are keys where an element has a name too.
func inferable() []string {
	return []string{"mountPath", "devicePath", "ip", "topologyKey", "name", "containerPort", "type"}
}

// InferKeys guesses the key of a list that no schema describes, from the lists
// that the sides have: the first field that every element on every side carries
// as a scalar, without repetition on a side. nil if there is none.
func InferKeys(lists ...[]*yaml.Node) []Key {
	for _, name := range inferable() {
		elements := 0
		fits := true
		for _, list := range lists {
			elements += len(list)
			fits = fits && tellsApart(name, list)
		}
		if fits && elements > 0 {
			return []Key{{Name: name}}
		}
	}
	return nil
}

// tellsApart reports whether every element has the field as a scalar, and no two
// have the same.
func tellsApart(name string, list []*yaml.Node) bool {
	seen := make(map[string]bool, len(list))
	for _, element := range list {
		v := yamlnode.Field(yamlnode.Resolve(element), name)
		if v == nil || v.Kind != yaml.ScalarNode || v.ShortTag() == "!!null" || seen[v.Value] {
			return false
		}
		seen[v.Value] = true
	}
	return true
}
