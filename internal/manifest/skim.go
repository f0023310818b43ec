package manifest

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Skim has the parts of an item that were read from its text without the parser.
type Skim struct {
	// Null reports whether there may be a null anywhere in the item.
	Null bool
	// Doubtful reports whether a document may be none that can be merged: a mapping may have a key twice, or the nesting
	// may be too deep. It is found out for documents only.
	Doubtful bool

	text        []byte
	head        head
	annotations []noted // as head has them
	block       span    // the lines of annotations, from the key on
	loose       bool    // comments or empty lines are among them
	comment     span    // what is after the metadata key in its line
	fields      int     // of metadata
	literal     bool    // the text ends in a literal or folded block
	some        bool    // there is a field
	top         int     // where the line of the first begins
	broken      bool    // the last line break is not in the file
	flow        bool    // the item is in brackets: it has no lines
}

func (i *Skim) part(s span) []byte { return s.of(i.text) }

// Above is how many lines are above that of the item's first field.
func (i *Skim) Above() int { return bytes.Count(i.text[:i.top], []byte("\n")) }

// HasAnnotation reports whether there is an annotation of that name.
func (i *Skim) HasAnnotation(name string) bool { return i.find([]byte(name)) >= 0 }

// find is the index of an annotation, -1 if there is none of that name.
func (i *Skim) find(name []byte) int {
	return slices.IndexFunc(i.annotations, func(a noted) bool { return bytes.Equal(i.part(a.name), name) })
}

// section is which part of the item a field is in, as far as the head goes.
type section int

const (
	elsewhere section = iota
	metadata
	annotations
)

// head has the item's identifying fields, without the annotations.
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

// entry is an annotation in lines of its own.
type noted struct {
	name, value, line span
	long              bool // the value is not known yet
}

// span is a part of the text, from start up to end. It is small: a list has hundreds of thousands of items.
type span struct{ start, end int32 }

func spanOf(start, end int) span { return span{int32(start), int32(end)} } // #nosec G115 -- read takes no text of more than MaxInt32

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

// Head returns the item's mapping as far as it says who the item is: apiVersion, kind, and of metadata name,
// namespace, generateName, annotations, and the comment on the key. It is made anew each time.
func (i *Skim) Head() *yaml.Node {
	h, top, meta, notes := &i.head, yamlnode.EmptyMap(), yamlnode.EmptyMap(), yamlnode.EmptyMap()
	add := func(to *yaml.Node, key string, value *yaml.Node) {
		to.Content = append(to.Content, yamlnode.String(key), value)
	}
	for n, field := range fieldNames() {
		switch {
		case h.has[n] && n < name:
			add(top, field, yamlnode.String(h.said[n]))
		case h.has[n]:
			add(meta, field, yamlnode.String(h.said[n]))
		}
	}
	for _, a := range i.annotations {
		add(notes, string(i.part(a.name)), yamlnode.String(i.value(a)))
	}
	if len(notes.Content) > 0 {
		add(meta, "annotations", notes)
	}
	if h.seen[0] {
		add(top, "metadata", meta)
		top.Content[len(top.Content)-2].LineComment = h.comment
	}
	return top
}

// Said has an item's identifying fields.
type Said struct {
	APIVersion, Kind, Name, Namespace, GenerateName string
	// Comment is the comment on the metadata key.
	Comment string
}

// HasRoom reports whether a comment can stand on the metadata key.
func (i *Skim) HasRoom() bool { return i.head.seen[0] && !i.flow }

// Said returns the fields of Head without the annotations.
func (i *Skim) Said() Said {
	h := &i.head
	return Said{h.said[apiVersion], h.said[kind], h.said[name], h.said[namespace], h.said[generateName], h.comment}
}

// Annotation returns the value of an annotation, "" if there is none.
func (i *Skim) Annotation(name string) string {
	if at := i.find([]byte(name)); at >= 0 {
		return i.value(i.annotations[at])
	}
	return ""
}

// value is the value of an annotation. One of several lines is read only now.
func (i *Skim) value(a noted) string {
	if !a.long {
		return string(i.part(a.value))
	}
	if i.flow {
		return unescaped(string(i.part(a.value)))
	}
	if m := rootOf(i.part(a.line)); m != nil && len(m.Content) == 2 {
		return m.Content[1].Value
	}
	return ""
}

// Ignored says what does not count when two items are compared: annotations by
// their names, and the comment on the metadata key by its text.
type Ignored struct {
	Annotation, Comment func(string) bool
}

// Same reports whether two items are certain to be equal, comments and style and all, apart from the ignored parts.
func Same(a, b *Skim, ignored Ignored) bool {
	if a == nil || b == nil || a.loose != b.loose || a.loose && !sameNames(a, b) {
		return false
	}
	return slices.EqualFunc(a.parts(ignored), b.parts(ignored), bytes.Equal)
}

// sameNames reports whether two items have annotations of the same names in the
// same order: then a comment among them belongs to the same one.
func sameNames(a, b *Skim) bool {
	return slices.EqualFunc(a.annotations, b.annotations, func(x, y noted) bool { return bytes.Equal(a.part(x.name), b.part(y.name)) })
}

// parts is the text without what is ignored: what is above the metadata, its line, what is above the first
// annotation, each annotation that stays, and what is below. If there are comments or empty lines among the
// annotations, it has a part for each of them and for what is above it: where they are tells whose they are.
func (i *Skim) parts(ignored Ignored) [][]byte {
	parts := append(make([][]byte, 0, 8), i.text[:i.comment.start])
	if comment := i.part(i.comment); len(comment) > 0 && !ignored.Comment(string(comment)) {
		parts = append(parts, comment)
	}
	from := i.comment.end
	for n, a := range i.annotations {
		if n == 0 || i.loose {
			parts = append(parts, i.text[from:a.line.start])
		}
		switch {
		case !ignored.Annotation(string(i.part(a.name))):
			parts = append(parts, i.part(a.line))
		case i.loose:
			parts = append(parts, nil)
		}
		from = a.line.end
	}
	return append(parts, i.text[from:])
}

// WithoutAnnotation returns the text without the line of an annotation that is there, and whether that is certain
// to be the item without it. A map of annotations that held nothing else goes too.
func (i *Skim) WithoutAnnotation(name string) ([]byte, bool) {
	at := i.find([]byte(name))
	cut := i.annotations[at].line
	if len(i.annotations) == 1 {
		cut = i.block
	}
	return i.closed(i.text[:cut.start], i.text[cut.end:]), !i.flow && !i.loose && (len(i.annotations) > 1 || i.fields > 1)
}

// WithComment returns the text with a line comment on the metadata key, and whether there was room for one.
func (i *Skim) WithComment(comment string) ([]byte, bool) {
	end := i.comment.end
	return i.closed(i.text[:end], []byte(" "+comment), i.text[end:]), i.comment.start == end && i.head.seen[0]
}

// closed is a text of parts that ends as the file does.
func (i *Skim) closed(parts ...[]byte) []byte {
	text := slices.Concat(parts...)
	if i.broken {
		return text[:len(text)-1]
	}
	return text
}

// Outline is the tree of an item without the values of some fields.
type Outline struct {
	// Root is the item's mapping. The fields that are left out have null.
	Root *yaml.Node

	text []byte
	left map[*yaml.Node]span
}

// Outline returns the item's tree without the values of all fields of a name that have a block collection, nil if
// the text is not sure to be one mapping. Such a value is not looked into.
func (i *Skim) Outline(name string) *Outline {
	if i.flow {
		return nil
	}
	s := scanner{text: i.text, item: &Skim{}, open: make([]openBlock, 1, 16), await: true, leave: []byte(name)}
	s.open[0] = openBlock{indent: -1}
	if !s.scan() {
		return nil
	}
	root := rootOf(without(i.text, s.left))
	if root != nil && root.Kind == yaml.SequenceNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	o := &Outline{Root: root, text: i.text, left: map[*yaml.Node]span{}}
	o.find(root, name, i.lines(s.left), &s.left)
	return o
}

// Value returns the tree of a value of the outline. If that was left out, it is read now: nil if it is no collection.
func (o *Outline) Value(n *yaml.Node) *yaml.Node {
	if part, left := o.left[n]; left {
		return rootOf(o.text[part.start:part.end])
	}
	return n
}

// without is a text without parts of it.
func without(text []byte, parts []span) []byte {
	var out []byte
	at := 0
	for _, part := range parts {
		out = append(out, text[at:part.start]...)
		at = int(part.end)
	}
	return append(out, text[at:]...)
}

// lines are the numbers that the lines above parts have without the parts.
func (i *Skim) lines(parts []span) []int {
	var lines []int
	at, number := 0, 0
	for _, part := range parts {
		number += bytes.Count(i.text[at:part.start], []byte("\n"))
		lines, at = append(lines, number), int(part.end)
	}
	return lines
}

// find finds the nulls in lines whose values were left out, in their order.
func (o *Outline) find(n *yaml.Node, name string, lines []int, left *[]span) {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && len(*left) > 0 {
			key, at := n.Content[i-1], len(lines)-len(*left)
			if key.Value == name && key.Line == lines[at] {
				o.left[c] = (*left)[0]
				*left = (*left)[1:]
			}
		}
		o.find(c, name, lines, left)
	}
}

// leaveOut goes past the value of a field, which is below its line, and reports whether there is one: lines that
// are deeper, and the empty ones below them, which a literal block may keep.
func (s *scanner) leaveOut() bool {
	column, stop, some := s.top().indent, s.next, false
	for at := s.next; at < len(s.text); {
		from := skipBlanks(s.text, at)
		c := s.text[from]
		if c != '\n' && c != '#' && from-at <= column {
			break
		}
		deeper := c != '\n' && from-at > column
		some = some || deeper && c != '#'
		belongs := deeper || c == '\n' && at == stop
		if at = from + bytes.IndexByte(s.text[from:], '\n') + 1; belongs {
			stop = at
		}
	}
	if !some {
		return false
	}
	s.left = append(s.left, spanOf(s.next, stop))
	s.next = stop
	return true
}
