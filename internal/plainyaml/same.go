package plainyaml

import (
	"bytes"
	"slices"
)

// Ignored says what does not count when two items are compared: annotations by
// their names, and the comment on the metadata key by its text.
type Ignored struct {
	Annotation, Comment func(string) bool
}

// Same tells whether two items are certain to be equal, comments and style and
// all, apart from what is ignored.
func Same(a, b *Item, ignored Ignored) bool {
	if a == nil || b == nil || a.loose != b.loose || a.loose && !sameNames(a, b) {
		return false
	}
	return slices.EqualFunc(a.parts(ignored), b.parts(ignored), bytes.Equal)
}

// sameNames tells whether two items have annotations of the same names in the
// same order: then a comment among them belongs to the same one.
func sameNames(a, b *Item) bool {
	return slices.EqualFunc(a.annotations, b.annotations, func(x, y entry) bool { return bytes.Equal(a.part(x.name), b.part(y.name)) })
}

// parts is the text without what is ignored: what is above the metadata, its
// line, what is above the first annotation, each annotation that stays, and what
// is below. If there are comments or empty lines among the annotations, it has a
// part for each of them and for what is above it: where they are tells whose
// they are.
func (i *Item) parts(ignored Ignored) [][]byte {
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

// WithoutAnnotation returns the text without the line of an annotation that is
// there, and whether that is certain to be the item without it. A map of annotations that
// held nothing else goes too.
func (i *Item) WithoutAnnotation(name string) ([]byte, bool) {
	at := i.find([]byte(name))
	cut := i.annotations[at].line
	if len(i.annotations) == 1 {
		cut = i.block
	}
	return i.closed(i.text[:cut.start], i.text[cut.end:]), !i.loose && (len(i.annotations) > 1 || i.fields > 1)
}

// WithComment returns the text with a line comment on the metadata key, and
// whether there was room for one.
func (i *Item) WithComment(comment string) ([]byte, bool) {
	end := i.comment.end
	return i.closed(i.text[:end], []byte(" "+comment), i.text[end:]), i.comment.start == end && i.head.seen[0]
}

// closed is a text of parts that ends as the file does.
func (i *Item) closed(parts ...[]byte) []byte {
	text := slices.Concat(parts...)
	if i.broken {
		return text[:len(text)-1]
	}
	return text
}
