package skim

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// section is which part of the item a field is in, as far as the head goes.
type section int

const (
	elsewhere section = iota
	metadata
	annotations
)

// head gathers what the item says about itself.
type head struct {
	within section

	top, meta, notes []*yaml.Node // the fields of Head and its mappings
	seen             [2]bool      // metadata, annotations
	comment          string       // on the metadata key
	nodes            []yaml.Node  // to make nodes of
}

// field takes note of a field whose value begins at an index. It fails if the
// field is one that the head needs, and is there twice or not plain.
func (h *head) field(s *scanner, name []byte, at int) bool {
	depth := len(s.open)
	if depth <= 1+int(h.within) {
		h.within = section(max(depth-2, 0))
	}
	switch {
	case depth == 2 && h.within == elsewhere:
		return h.topField(s, name, at)
	case depth == 3 && h.within == metadata:
		return h.metadataField(s, name, at)
	case depth == 4 && h.within == annotations:
		return h.annotation(s, name, at)
	}
	return h.within != annotations
}

func (h *head) topField(s *scanner, name []byte, at int) bool {
	switch string(name) {
	case "apiVersion", "kind":
		return h.scalar(&h.top, s, name, at)
	case "metadata":
		if h.seen[0] || s.text[at] != '\n' && s.text[at] != '#' || !s.isFollowed() {
			return false
		}
		h.seen[0], h.within = true, metadata
		h.comment = string(s.text[at : s.next-1])
		for s.text[at-1] == ' ' {
			at--
		}
		s.item.comment = span{at, s.next - 1}
	}
	return true
}

func (h *head) metadataField(s *scanner, name []byte, at int) bool {
	s.item.fields++
	switch string(name) {
	case "name", "namespace", "generateName":
		return h.scalar(&h.meta, s, name, at)
	case "annotations":
		if h.seen[1] || s.text[at] != '\n' || !s.isFollowed() {
			return false
		}
		h.seen[1], h.within = true, annotations
		s.item.block = span{s.at, s.next}
	}
	return true
}

// maxAnnotations bounds what is compared with each other to find one that is
// there twice.
const maxAnnotations = 50

func (h *head) annotation(s *scanner, name []byte, at int) bool {
	if len(h.notes) > 2*maxAnnotations || !h.scalar(&h.notes, s, name, at) {
		return false
	}
	s.item.block.end = s.next
	s.item.annotations = append(s.item.annotations, entry{h.notes[len(h.notes)-2].Value, span{s.at, s.next}})
	return true
}

// isFollowed tells whether the next line has a field that is deeper.
func (s *scanner) isFollowed() bool {
	at := s.next
	for at < len(s.text) && s.text[at] == ' ' {
		at++
	}
	return at < len(s.text) && at-s.next > s.top().indent && isWord(s.text[at])
}

// scalar adds a field with a scalar to fields, unless that is there already or
// has no value in its line that can be told without unescaping.
func (h *head) scalar(fields *[]*yaml.Node, s *scanner, name []byte, at int) bool {
	for i := 0; i < len(*fields); i += 2 {
		if (*fields)[i].Value == string(name) {
			return false
		}
	}
	line := s.text[:s.next]
	end := 0
	switch line[at] {
	case '\n', '#', '[', '{', '|', '>':
		return false
	case '\'', '"':
		if end = quoted(line, at); end == 0 || bytes.ContainsAny(line[at+1:end-1], `\'`) {
			return false
		}
		at, end = at+1, end-1
	default:
		if end = s.plain(line, at); end == 0 || isNull(line[at:end]) {
			return false
		}
	}
	*fields = append(*fields, h.newNode(string(name)), h.newNode(string(line[at:end])))
	return true
}

// newNode makes a scalar node.
func (h *head) newNode(value string) *yaml.Node {
	if len(h.nodes) == 0 {
		h.nodes = make([]yaml.Node, 20) // for most items that is enough
	}
	n := &h.nodes[0]
	h.nodes = h.nodes[1:]
	n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!str", value
	return n
}

// complete tells whether the item has what is expected of one that is skimmed:
// kind and metadata, in block style.
func (h *head) complete() bool { return len(h.top) > 0 && h.seen[0] }

// node makes the mapping.
func (h *head) node() *yaml.Node {
	meta := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: h.meta}
	if h.seen[1] {
		notes := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: h.notes}
		meta.Content = append(meta.Content, h.newNode("annotations"), notes)
	}
	key := h.newNode("metadata")
	key.LineComment = h.comment
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: append(h.top, key, meta)}
}
