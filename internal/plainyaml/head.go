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
	said    [5]string // by the numbers of fields
	has     [5]bool
	seen    [2]bool // metadata, annotations
	comment string  // on the metadata key
}

// The numbers of the fields in a head.
const (
	apiVersion = iota
	kind
	name
	namespace
	generateName
)

// fieldNames are the names of the fields in a head.
func fieldNames() [5]string {
	return [5]string{"apiVersion", "kind", "name", "namespace", "generateName"}
}

// pair is a field with a scalar.
type pair struct{ name, value string }

// pairs are the fields from one number up to another that are there.
func (h *head) pairs(from, to int) []pair {
	var out []pair
	for n := from; n < to; n++ {
		if h.has[n] {
			out = append(out, pair{fieldNames()[n], h.said[n]})
		}
	}
	return out
}

// node makes the mapping.
func (h *head) node(notes []pair) *yaml.Node {
	m := maker{room: make([]yaml.Node, 2*(len(h.said)+len(notes))+5)}
	top := m.pairs(h.pairs(apiVersion, name))
	if !h.seen[0] {
		return m.mapping(top)
	}
	meta := m.pairs(h.pairs(name, len(h.said)))
	if len(notes) > 0 {
		var content []*yaml.Node
		for _, a := range notes {
			content = append(content, m.scalar(a.name), m.scalar(a.value))
		}
		meta = append(meta, m.scalar("annotations"), m.mapping(content))
	}
	key := m.scalar("metadata")
	key.LineComment = h.comment
	return m.mapping(append(top, key, m.mapping(meta)))
}

// maker makes nodes in room that is there for all of them.
type maker struct{ room []yaml.Node }

func (m *maker) add(kind yaml.Kind, tag, value string) *yaml.Node {
	n := &m.room[0]
	m.room = m.room[1:]
	n.Kind, n.Tag, n.Value = kind, tag, value
	return n
}

func (m *maker) scalar(value string) *yaml.Node { return m.add(yaml.ScalarNode, "!!str", value) }

func (m *maker) mapping(content []*yaml.Node) *yaml.Node {
	n := m.add(yaml.MappingNode, "!!map", "")
	n.Content = content
	return n
}

func (m *maker) pairs(fields []pair) []*yaml.Node {
	content := make([]*yaml.Node, 0, 2*len(fields)+2)
	for _, f := range fields {
		content = append(content, m.scalar(f.name), m.scalar(f.value))
	}
	return content
}

// entry is an annotation in lines of its own.
type entry struct {
	name, value, line span
	long              bool // the value is not known yet
}

// span is a part of the text, from start up to end. It is small: a list has
// hundreds of thousands of items.
type span struct{ start, end int32 }

func spanOf(start, end int) span { return span{int32(start), int32(end)} } // #nosec G115 -- read takes no text of more than MaxInt32

func (s span) of(text []byte) []byte { return text[s.start:s.end] }
