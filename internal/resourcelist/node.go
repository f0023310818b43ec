package resourcelist

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// plain returns a string node as a key or a word is written.
func plain(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

// emptyList returns the node of `[]`.
func emptyList() *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
}

// position returns the index in mapping's content of the first key of that
// name, or -1. The value is the node after it.
func position(mapping *yaml.Node, name string) int {
	if mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name {
			return i
		}
	}
	return -1
}

// field returns the value of a field of mapping, an alias followed, or nil.
func field(mapping *yaml.Node, name string) *yaml.Node {
	at := position(mapping, name)
	if at < 0 {
		return nil
	}
	return target(mapping.Content[at+1])
}

// target follows n if it is an alias. An alias never points to an alias.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// scalar returns the text of a scalar field, "" if there is none.
func scalar(mapping *yaml.Node, name string) string {
	if value := field(mapping, name); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// tagOf returns the short tag of n. That of a plain `<<` is the merge tag, which
// yaml.v3 forgets when it works the tag out.
func tagOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Tag == "" && n.Value == "<<" {
		return "!!merge"
	}
	return n.ShortTag()
}

// clone copies n and what is below it. Aliases point to where they did.
func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// walk calls visit for n and everything below it, keys before their values.
// Aliases are visited and not followed, so cycles do no harm.
func walk(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, child := range n.Content {
		walk(child, visit)
	}
}

// depth returns how deep n is nested; a scalar has depth 1.
func depth(n *yaml.Node) int {
	deepest := 0
	for _, child := range n.Content {
		deepest = max(deepest, depth(child))
	}
	return deepest + 1
}

// isBlock tells whether n is written as a block collection: one that is empty
// has only a flow form.
func isBlock(n *yaml.Node) bool {
	return len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

// isMarked tells whether n is a block collection with an anchor or a tag.
func isMarked(n *yaml.Node) bool {
	return isBlock(n) && (n.Anchor != "" || n.Style&yaml.TaggedStyle != 0)
}

// kindName says what n is, for an error.
func kindName(n *yaml.Node) string {
	switch target(n).Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "null"
	}
	return "a scalar"
}

// resourceName says which resource n is, for an error: "Deployment web
// (apps/v1)", or "a mapping without a kind".
func resourceName(n *yaml.Node) string {
	words := []string{"a mapping without a kind"}
	if kind := scalar(n, "kind"); kind != "" {
		words = []string{"a", kind}
	}
	if metadata := field(n, "metadata"); metadata != nil && scalar(metadata, "name") != "" {
		words = append(words, scalar(metadata, "name"))
	}
	if version := scalar(n, "apiVersion"); version != "" {
		words = append(words, "("+version+")")
	}
	return strings.Join(words, " ")
}
