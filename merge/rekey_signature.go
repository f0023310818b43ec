package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// signature is a text by which an element may be known under another key, "" if
// it says too little for that.
type signature func(*yaml.Node) string

// signatures are those of the elements of a list with these keys (design 3.3): a
// second field that is unique in the list, where there is one, and all but the key.
func signatures(keys []schema.Key) []signature {
	rest := func(n *yaml.Node) string { return restOf(n, keys) }
	if isPort(keys) {
		return []signature{portName, rest}
	}
	return []signature{rest}
}

// isPort reports whether the elements of a list are ports of a container or
// Service, whose names are unique as well as their numbers.
func isPort(keys []schema.Key) bool { return keys[0].Name == "port" || keys[0].Name == "containerPort" }

// portName is the name of a port.
func portName(n *yaml.Node) string {
	if v := yamlnode.Lookup(n, "name"); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// restOf is all of an element but its key, "" where that is nothing, or no more
// than a value: what env and parameters are, their names alone say.
func restOf(n *yaml.Node, keys []schema.Key) string {
	for _, key := range keys {
		n = without(n, strings.Split(key.Name, "."))
	}
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if name := n.Content[i].Value; name != "value" && name != "valueFrom" {
			return canonical(n)
		}
	}
	return ""
}

// without is a map without the field at a path.
func without(n *yaml.Node, names []string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		if n.Content[i].Value == names[0] {
			if len(names) == 1 {
				continue
			}
			v = without(v, names[1:])
		}
		out.Content = append(out.Content, n.Content[i], v)
	}
	return &out
}

// unique finds the elements of a side's list by the signatures that it has once.
func (e *element) unique(side identity.Side, sign signature) map[string]int {
	at := make(map[string]int, len(e.order[side]))
	var twice []string
	for _, i := range e.order[side] {
		text := sign(e.children[i].value[side])
		if _, seen := at[text]; seen || text == "" {
			twice = append(twice, text)
		}
		at[text] = i
	}
	for _, text := range slices.Compact(twice) {
		delete(at, text)
	}
	return at
}
