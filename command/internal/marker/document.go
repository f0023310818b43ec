package marker

import (
	"bytes"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ErrOrder means that the two results have their documents in different orders, or that a text is
// not a plain sequence of documents. Then the documents cannot be compared one by one.
var ErrOrder = errors.New("the documents cannot be laid side by side")

// document is one document of a file: the line that begins it, its body, and its end, which is a
// line "..." with the empty lines and comments below.
type document struct {
	separator, body, end []byte
	line                 int            // line is the number of the body's first line in the file, from 1.
	read                 bool           // read is set after the first use of text and tree.
	text                 *manifest.Text // text is the parsed body, nil if it is not a mapping, or only the tree is needed.
	tree                 *yaml.Node     // tree is the resource, nil if there is none.
}

// splitDocuments splits a file, whose lines all have a line break, into documents. It is not ok if the file has a
// directive.
func splitDocuments(file []byte) (documents []document, ok bool) {
	s := documentSplitter{file: file, current: document{line: 1}}
	at, number := 0, 1
	for line := range bytes.Lines(file) {
		next := at + len(line)
		switch {
		case line[0] == '%':
			return nil, false
		case isBoundary(line, "---"):
			s.flush(at, number)
			if rest := bytes.TrimSpace(line[3:]); len(rest) == 0 || rest[0] == '#' {
				s.current.separator, s.current.line, s.start = line, number+1, next
			}
		case isBoundary(line, "...") && !s.ended:
			s.current.body, s.start, s.begun, s.ended = file[s.start:at], at, true, true
		case s.ended && !isBoundary(line, "...") && len(bytes.TrimSpace(line)) > 0 && line[0] != '#':
			s.flush(at, number)
		}
		at = next
		number++
	}
	s.flush(at, number)
	return s.documents, true
}

// documentSplitter collects the documents of a file.
type documentSplitter struct {
	file      []byte
	documents []document
	current   document
	// start is the offset of the body or the end of the current document.
	start int
	// begun is set after a separator or an end, and ended between an end and the next document.
	begun, ended bool
}

// flush ends the current document at an offset, and begins the next one with the number of its line.
func (s *documentSplitter) flush(at, number int) {
	if s.ended {
		s.current.end = s.file[s.start:at]
	} else {
		s.current.body = s.file[s.start:at]
	}
	if s.begun || at > s.start {
		s.documents = append(s.documents, s.current)
	}
	s.current, s.start, s.begun, s.ended = document{line: number}, at, true, false
}

// nameDocuments names each document of a side: the index of its resource, or a negative number for the n-th document
// without one.
func nameDocuments(documents []document, resources []Resource, side Side) []int {
	names := make([]int, len(documents))
	for i, r := range resources {
		at, found := slices.BinarySearchFunc(documents, r.Lines[side], func(d document, line int) int { return d.line - line })
		if !found {
			at--
		}
		if at >= 0 && names[at] == 0 {
			names[at] = i + 1
		}
	}
	unnamed := 0
	for at, name := range names {
		if names[at] = name - 1; name == 0 {
			unnamed++
			names[at] = -unnamed
		}
	}
	return names
}

// clone returns a document that is parsed on its own, so that its tree needs memory only as long as the clone does.
func (d document) clone() *document { return &d }

// isBoundary reports whether a line is the document boundary "---" or "...".
func isBoundary(line []byte, mark string) bool {
	rest, found := bytes.CutPrefix(line, []byte(mark))
	return found && (len(bytes.TrimSpace(rest)) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// root returns the resource of the document, nil if there is none; d may be nil.
func (d *document) root() *yaml.Node {
	if d == nil {
		return nil
	}
	if !d.read {
		d.read = true
		if text, err := manifest.Document(d.body); err == nil {
			d.text, d.tree = text, text.Root()
		}
	}
	return d.tree
}

// apiVersion returns the resource's apiVersion, "" if it has none.
func (d *document) apiVersion() string {
	return yamlnode.Text(yamlnode.Field(d.root(), "apiVersion"))
}

// outline returns the extents of the resource's fields in the body, nil if they are not known. It is called once: then the
// places in the text need no memory any more.
func (d *document) outline() *manifest.Spot {
	if d.root() == nil || !bytes.Equal(d.text.Bytes(), d.body) {
		return nil
	}
	text := d.text
	d.text = nil
	if s, ok := text.Outline(); ok {
		return &s
	}
	return nil
}

// lines returns the text of the document, nil if d is nil.
func (d *document) lines() []byte {
	if d == nil {
		return nil
	}
	return slices.Concat(d.separator, d.body, d.end)
}

// entryVersions has the extents of one field or list element on each side, nil if a side lacks it.
type entryVersions [3]*manifest.Spot

// texts has the text of a resource on each side.
type texts [3][]byte

// lines returns a side's bytes from one offset to another. Those of origin are indented as on the other sides.
func (t texts) lines(side Side, s entryVersions, from, to int) []byte {
	text := t[side][from:to]
	if side != Base {
		return text
	}
	for _, shown := range [2]Side{Ours, Theirs} {
		if s[shown] != nil {
			return shift(text, s[shown].Column-s[Base].Column)
		}
	}
	return text
}
