// Package plainyaml reads what an item says about itself from its text, without the
// parser (design 9). It takes only plain text: a strict part of YAML, in which
// every line can be understood by what is open above it. Of such a text it is
// certain that the parser takes it for one mapping, and that two equal texts are
// equal nodes. Tree makes the nodes as well, and JSON those of JSON. Whatever else
// there is in a package is for the parser.
//
// Plain is a block mapping of fields, each on a line with a key as Kubernetes
// has them, and a value that is a scalar or a flow collection closed on its
// line, a literal or folded block, or a block collection below. Anchors,
// aliases, tags, quoted and complex keys, merge keys, escapes other than the
// common ones, tabs, and scalars over several lines are not.
package plainyaml

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Item is what was read of an item's text.
type Item struct {
	// Null reports whether there may be a null anywhere in the item.
	Null bool

	text        []byte
	head        head
	annotations []entry // as head has them
	block       span    // the lines of annotations, from the key on
	loose       bool    // comments or empty lines are among them
	comment     span    // what is after the metadata key in its line
	fields      int     // of metadata
}

// Head returns the item's mapping as far as it says who the item is: apiVersion,
// kind, and of metadata name, namespace, generateName, annotations, and the
// comment on the key. It is made anew each time.
func (i *Item) Head() *yaml.Node { return i.head.node(i.annotations) }

// Annotation returns the value of an annotation, "" if there is none.
func (i *Item) Annotation(name string) string {
	for _, a := range i.annotations {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (i *Item) part(s span) []byte { return i.text[s.start:s.end] }

// HasAnnotation tells whether there is an annotation of that name.
func (i *Item) HasAnnotation(name string) bool { return i.hasAnnotation([]byte(name)) }

func (i *Item) hasAnnotation(name []byte) bool {
	return slices.ContainsFunc(i.annotations, func(a entry) bool { return a.name == string(name) })
}
