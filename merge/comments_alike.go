package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Alike reports whether two versions have the same values and comments: to take
// one for the other loses nothing that was said. Order of keys, style and merge
// comments do not count. nil is alike only nil.
func Alike(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return nodeSlots(a) == nodeSlots(b) && alikeContent(a, b)
}

// alikeContent is Alike without the comments on the two nodes themselves.
func alikeContent(a, b *yaml.Node) bool {
	if !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return scalarValue(nil, a) == scalarValue(nil, b)
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
		if !found || !alikeSlots(fieldSlots(a.Content[i], a.Content[i+1]), fieldSlots(b.Content[j], b.Content[j+1])) ||
			!alikeContent(a.Content[i+1], b.Content[j+1]) {
			return false
		}
	}
	return true
}

// alikeSlots compares the comments of a field. Beside a merge comment, another
// line comment counts though it had to move above the field.
func alikeSlots(a, b slots) bool {
	if identity.IsComment(a.line) || identity.IsComment(b.line) {
		a, b = a.withoutMergeComment(), b.withoutMergeComment()
	}
	return a == b
}

// identical reports whether two nodes are written alike, comments and all;
// aliases are not followed. Versions that are identical need no merge.
func identical(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		nodeSlots(a) != nodeSlots(b) || isWord(a) != isWord(b) || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
