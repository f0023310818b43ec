package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// sameTree reports whether two nodes have the same values and comments, aliases
// followed.
func sameTree(a, b *yaml.Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || !sameText(a.LineComment, b.LineComment) || !sameText(a.HeadComment, b.HeadComment) || !sameText(a.FootComment, b.FootComment) {
		return false
	}
	a, b = yamlnode.Resolve(a), yamlnode.Resolve(b)
	if !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode {
		return sameScalar(a, b)
	}
	for i := range a.Content {
		if !sameTree(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// sameForm reports whether two nodes are of one kind, and of one tag if they are maps or lists.
func sameForm(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && (!isCollection(a) || a.Tag == b.Tag || a.ShortTag() == b.ShortTag())
}

// sameScalar reports whether two scalars have the same tag and value, and are
// both text or both plain words that kubectl reads as booleans. All ways to
// write null are the same.
func sameScalar(a, b *yaml.Node) bool {
	if a.Tag == "!!null" && b.Tag == "!!null" {
		return true
	}
	if a.Value != b.Value || isMergeKey(a) != isMergeKey(b) {
		return false
	}
	if (a.Style == 0) != (b.Style == 0) && yamlnode.IsBooleanWord(a.Value) {
		return false
	}
	return a.Tag == b.Tag || a.ShortTag() == b.ShortTag()
}

// sameText compares comments without regard to white space around them.
func sameText(a, b string) bool { return a == b || strings.TrimSpace(a) == strings.TrimSpace(b) }

// isMarked reports whether there is an anchor, an alias or a merge key in n.
func isMarked(n *yaml.Node) bool {
	if n.Anchor != "" || n.Kind == yaml.AliasNode || isMergeKey(n) {
		return true
	}
	for _, c := range n.Content {
		if isMarked(c) {
			return true
		}
	}
	return false
}

func isCollection(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
}
