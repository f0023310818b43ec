package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Alike compares two versions by value and comments; order of keys, style and
// merge comments do not count. nil is alike only nil.
func Alike(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) || nodeSlots(a) != nodeSlots(b) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return valueOf(a) == valueOf(b)
	case yaml.AliasNode:
		return a.Value == b.Value
	case yaml.MappingNode:
		return alikeMaps(a, b)
	}
	for i := range a.Content {
		if !Alike(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

func alikeMaps(a, b *yaml.Node) bool {
	index := make(map[value]int, len(b.Content)/2)
	for i := 0; i+1 < len(b.Content); i += 2 {
		index[valueOf(b.Content[i])] = i
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		j, found := index[valueOf(a.Content[i])]
		if !found || keySlots(a.Content[i]) != keySlots(b.Content[j]) || !Alike(a.Content[i+1], b.Content[j+1]) {
			return false
		}
	}
	return true
}

// keySlots are a key's comments, without a merge comment.
func keySlots(key *yaml.Node) slots {
	s := nodeSlots(key)
	if identity.IsComment(s.line) {
		s.line = ""
	}
	return s
}
