package merge

import "go.yaml.in/yaml/v3"

// lookup follows field names down through maps.
func lookup(n *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		n = fieldOf(n, name)
	}
	return n
}

// fieldOf is the value of a map's field, nil if it has none of that name.
func fieldOf(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name && m.Content[i].ShortTag() == "!!str" {
			return m.Content[i+1]
		}
	}
	return nil
}
