// Package plainyaml reads what an item says about itself from its text, without the
// parser (design 9). It takes only plain text: a strict part of YAML, in which
// every line can be understood by what is open above it. Of such a text it is
// certain that the parser takes it for one mapping, and that two equal texts are
// equal nodes. Tree makes the nodes as well, and JSON those of JSON. Whatever else
// there is in a package is for the parser.
//
// Plain is a block mapping of fields, each with a key as Kubernetes has them, or
// a quoted one, and a value that is a scalar of one line or several, a flow
// collection of words and quoted scalars, a literal or folded block, or a block
// collection below. Lines of a value are deeper than its key. Anchors, aliases,
// tags, complex keys, merge keys, escapes other than the common ones, tabs, and
// comments in flow collections are not.
package plainyaml

import (
	"bytes"
	"slices"
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
	literal     bool    // the text ends in a literal or folded block
	some        bool    // there is a field
	top         int     // where the line of the first begins
	broken      bool    // the last line break is not in the file
}

func (i *Item) part(s span) []byte { return s.of(i.text) }

// Above is how many lines are above that of the item's first field.
func (i *Item) Above() int { return bytes.Count(i.text[:i.top], []byte("\n")) }

// HasAnnotation tells whether there is an annotation of that name.
func (i *Item) HasAnnotation(name string) bool { return i.find([]byte(name)) >= 0 }

// find is the index of an annotation, -1 if there is none of that name.
func (i *Item) find(name []byte) int {
	return slices.IndexFunc(i.annotations, func(a entry) bool { return bytes.Equal(i.part(a.name), name) })
}
