package plainyaml

import (
	"go.yaml.in/yaml/v3"
)

// section is which part of the item a field is in, as far as the head goes.
type section int

const (
	elsewhere section = iota
	metadata
	annotations
)

// head is what the item says about itself, but for the annotations.
type head struct {
	top, meta []pair  // fields of the item and of its metadata
	seen      [2]bool // metadata, annotations
	comment   string  // on the metadata key
}

// pair is a field with a scalar.
type pair struct{ name, value string }

// complete tells whether the item has what is expected of one that is skimmed:
// kind or apiVersion, and metadata.
func (h *head) complete() bool { return len(h.top) > 0 && h.seen[0] }

// node makes the mapping.
func (h *head) node(notes []entry) *yaml.Node {
	meta := pairs(h.meta)
	if h.seen[1] {
		var content []*yaml.Node
		for _, a := range notes {
			content = append(content, scalarNode(a.name), scalarNode(a.value))
		}
		meta = append(meta, scalarNode("annotations"), mappingNode(content))
	}
	key := scalarNode("metadata")
	key.LineComment = h.comment
	return mappingNode(append(pairs(h.top), key, mappingNode(meta)))
}

func pairs(fields []pair) []*yaml.Node {
	var content []*yaml.Node
	for _, f := range fields {
		content = append(content, scalarNode(f.name), scalarNode(f.value))
	}
	return content
}

func scalarNode(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

func mappingNode(content []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: content}
}

// entry is an annotation in a line of its own.
type entry struct {
	pair
	line span
}

// span is a part of the text, from start up to end.
type span struct{ start, end int }
