package manifest

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Skim has the parts of an item read from its text without the parser.
type Skim struct {
	// Null reports whether there may be a null anywhere in the item.
	Null bool
	// Doubtful reports whether a document may be unfit for a merge: a mapping may have a key twice, or the nesting
	// may be too deep. It is set for documents only.
	Doubtful bool

	text        []byte
	head        head
	annotations []annotationLine // in the order of the text
	block       span             // the lines of annotations, from the key on
	loose       bool             // comments or empty lines are among these lines
	comment     span             // the rest of the metadata key's line behind its colon
	fields      int              // the number of fields of metadata
	literal     bool             // the text ends in a literal or folded block
	hasField    bool             // the first field was read
	top         int              // the start of the first field's line
	broken      bool             // the last line break is not in the file
	flow        bool             // the item is in brackets: it has no lines
}

func (i *Skim) part(s span) []byte { return s.of(i.text) }

// Above returns the number of lines above the item's first field.
func (i *Skim) Above() int { return bytes.Count(i.text[:i.top], []byte("\n")) }

// HasAnnotation reports whether there is an annotation with a name.
func (i *Skim) HasAnnotation(name string) bool { return i.find([]byte(name)) >= 0 }

// find returns the index of an annotation, -1 if there is none with that name.
func (i *Skim) find(name []byte) int {
	return slices.IndexFunc(i.annotations, func(a annotationLine) bool { return bytes.Equal(i.part(a.name), name) })
}

// section is a part of the item, as far as it matters for the head.
type section int

const (
	elsewhere section = iota
	metadata
	annotations
)

// head has the item's identifying fields, except the annotations.
type head struct {
	values  [5]string // by the numbers of fields
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

// fieldNames returns the names of the fields in a head.
func fieldNames() [5]string {
	return [5]string{"apiVersion", "kind", "name", "namespace", "generateName"}
}

// headField returns the number of the field with a name in a part of the item, -1 if the head does not have it.
func headField(in section, word []byte) int {
	for n, field := range fieldNames() {
		if string(word) == field && (n < name) == (in == elsewhere) {
			return n
		}
	}
	return -1
}

// annotationLine is an annotation in lines of its own.
type annotationLine struct {
	name, value, line span
	long              bool // the value is not known yet
}

// span is the range of the text from start up to end. It is small: a list has hundreds of thousands of items.
type span struct{ start, end int32 }

func spanOf(start, end int) span { return span{int32(start), int32(end)} } // #nosec G115 -- read takes no text of more than MaxInt32

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

// Head returns the identifying fields of the item's mapping: apiVersion, kind, and of metadata the comment on the
// key, name, namespace, generateName and annotations. It makes a new node for each call.
func (i *Skim) Head() *yaml.Node {
	h, top, meta, notes := &i.head, yamlnode.EmptyMap(), yamlnode.EmptyMap(), yamlnode.EmptyMap()
	add := func(to *yaml.Node, key string, value *yaml.Node) {
		to.Content = append(to.Content, yamlnode.String(key), value)
	}
	for n, field := range fieldNames() {
		switch {
		case h.has[n] && n < name:
			add(top, field, yamlnode.String(h.values[n]))
		case h.has[n]:
			add(meta, field, yamlnode.String(h.values[n]))
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

// HeadValues has an item's identifying fields.
type HeadValues struct {
	APIVersion, Kind, Name, Namespace, GenerateName string
	// Comment is the comment on the metadata key.
	Comment string
}

// HasRoom reports whether a comment can stand on the metadata key.
func (i *Skim) HasRoom() bool { return i.head.seen[0] && !i.flow }

// HeadValues returns the fields of Head without the annotations.
func (i *Skim) HeadValues() HeadValues {
	h := &i.head
	return HeadValues{h.values[apiVersion], h.values[kind], h.values[name], h.values[namespace], h.values[generateName], h.comment}
}

// Annotation returns the value of an annotation, "" if there is none.
func (i *Skim) Annotation(name string) string {
	if at := i.find([]byte(name)); at >= 0 {
		return i.value(i.annotations[at])
	}
	return ""
}

// value returns the value of an annotation. A value of several lines is read only now.
func (i *Skim) value(a annotationLine) string {
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

// Ignored selects the parts that a comparison of two items ignores: annotations by their names, and the comment on
// the metadata key by its text.
type Ignored struct {
	Annotation, Comment func(string) bool
}

// Same reports whether two items certainly are equal, with comments and style, apart from the ignored parts. If there
// are comments among the annotations, these must have the same names in the same order: then a comment belongs to the
// same annotation in both.
func Same(a, b *Skim, ignored Ignored) bool {
	if a == nil || b == nil || a.loose != b.loose {
		return false
	}
	sameName := func(x, y annotationLine) bool { return bytes.Equal(a.part(x.name), b.part(y.name)) }
	return (!a.loose || slices.EqualFunc(a.annotations, b.annotations, sameName)) &&
		slices.EqualFunc(a.parts(ignored), b.parts(ignored), bytes.Equal)
}

// parts returns the text without the ignored parts: the lines above the metadata, its line, the lines above the first
// annotation, each annotation that stays, and the lines below. If there are comments or empty lines among the
// annotations, it also has a part for the lines above each annotation: they may belong to it.
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

// WithoutAnnotation returns the text without the lines of an annotation, which must exist, and reports whether that
// certainly is the item without it. It removes a map of annotations that had no other.
func (i *Skim) WithoutAnnotation(name string) ([]byte, bool) {
	at := i.find([]byte(name))
	cut := i.annotations[at].line
	if len(i.annotations) == 1 {
		cut = i.block
	}
	return i.closed(i.text[:cut.start], i.text[cut.end:]), !i.flow && !i.loose && (len(i.annotations) > 1 || i.fields > 1)
}

// WithComment returns the text with a line comment on the metadata key, and reports whether there was room for it.
func (i *Skim) WithComment(comment string) ([]byte, bool) {
	end := i.comment.end
	return i.closed(i.text[:end], []byte(" "+comment), i.text[end:]), i.comment.start == end && i.head.seen[0]
}

// closed returns a text of parts, with a last line break only if the file has one.
func (i *Skim) closed(parts ...[]byte) []byte {
	text := slices.Concat(parts...)
	if i.broken {
		return text[:len(text)-1]
	}
	return text
}

// Outline is the tree of an item in which some fields have no values.
type Outline struct {
	// Root is the item's mapping. The omitted values are null.
	Root *yaml.Node

	text []byte
	left map[*yaml.Node]span
}

// Outline returns the item's tree, and omits the values of the fields with a name if they are block collections.
// These are not read. It returns nil if the text may not be one mapping.
func (i *Skim) Outline(name string) *Outline {
	if i.flow {
		return nil
	}
	s := treeScanner(i.text)
	s.leave, s.left = []byte(name), map[*yaml.Node]span{}
	root := s.root()
	if root != nil && root.Kind == yaml.SequenceNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	return &Outline{Root: root, text: i.text, left: s.left}
}

// Value returns the tree of a value of the outline. An omitted value is read now; it is nil if it is no collection.
func (o *Outline) Value(n *yaml.Node) *yaml.Node {
	if part, left := o.left[n]; left {
		return rootOf(o.text[part.start:part.end])
	}
	return n
}

// leaveOut skips the value of a field if it stands below the field's line, and reports whether it does. The value has the
// deeper lines, and the empty lines below them, which a literal block may keep. It becomes a null behind the colon.
func (s *scanner) leaveOut(behindColon int) bool {
	column, start, end, hasValue := s.top().indent, s.next, s.next, false
	for line := start; line < len(s.text); {
		first := skipBlanks(s.text, line)
		c := s.text[first]
		if c != '\n' && c != '#' && first-line <= column {
			break
		}
		isDeeper := c != '\n' && first-line > column
		hasValue = hasValue || isDeeper && c != '#'
		belongs := isDeeper || c == '\n' && line == end
		line = first + bytes.IndexByte(s.text[first:], '\n') + 1
		if belongs {
			end = line
		}
	}
	if !hasValue {
		return false
	}
	s.next = end
	s.tree.await(behindColon, end)
	s.tree.null()
	s.left[s.tree.last().value.node] = spanOf(start, end)
	return true
}

// Bodies are the known bodies of plain items. In a plain item the fields of the head stand above all others, and the body
// has the lines of the others. The versions of a resource mostly have one body, and it is read once (rules/reading:
// skimming). Several goroutines may use the same Bodies.
type Bodies struct {
	seed  maphash.Seed
	least int      // the shortest body worth a look-up, in bytes
	known sync.Map // a body for each hash
}

// NewBodies returns an empty set of bodies.
func NewBodies() *Bodies { return &Bodies{seed: maphash.MakeSeed(), least: 512} }

// body is a plain body, with the facts about an item with this body.
type body struct {
	text          []byte
	hash          uint64
	null, literal bool
}

// reading is the body being read, and the item's head above it.
type reading struct {
	body
	head      head
	nullAbove bool // there is a null above the body
}

// find returns the body with a text. known is false for a new body, which has no facts yet.
func (b *Bodies) find(text []byte) (found body, known bool) {
	hash := maphash.Bytes(b.seed, text)
	if same, ok := b.known.Load(hash); ok && bytes.Equal(same.(body).text, text) {
		return same.(body), true
	}
	return body{text: text, hash: hash}, false
}

// skip goes to the end of the text, if the body that begins in the line with the key is known. Otherwise it notes
// that the body is being read.
func (s *scanner) skip(key []byte) bool {
	if len(s.open) != 2 || !s.item.hasField || isHeadKey(key) {
		return false
	}
	b, rest := s.bodies, s.text[s.at:]
	s.bodies = nil
	if len(rest) < b.least {
		return false
	}
	found, known := b.find(rest)
	if !known {
		s.body = &reading{found, s.item.head, s.item.Null}
		s.item.Null = false
		return false
	}
	s.item.Null, s.item.literal = s.item.Null || found.null, found.literal
	s.clean, s.next = s.at, len(s.text)
	return true
}

// isHeadKey reports whether a key may belong to a field of the head.
func isHeadKey(key []byte) bool {
	switch string(key) {
	case "apiVersion", "kind", "metadata":
		return true
	}
	return key[0] == '"' || key[0] == '\''
}

// keep adds the body of a plain item to bodies, unless the body has a field of the head.
func (s *scanner) keep(bodies *Bodies) {
	r := s.body
	if r == nil {
		return
	}
	r.null, r.literal = s.item.Null, s.item.literal
	s.item.Null = s.item.Null || r.nullAbove
	if s.item.head == r.head {
		bodies.known.Store(r.hash, r.body)
	}
}
