// Package stream splits a file into YAML documents and the text between them (rules/files: added and removed
// documents), so that documents can be replaced, removed, inserted and moved while every other byte stays.
//
// A document consists of the lines between two markers, with comments and blank lines. Between two documents
// are the lines of markers with their comments, directives, and the header of the next document: comments
// with a blank line below them. The header of the first document belongs to the file, such as a licence.
package stream

import (
	"bytes"
	"slices"
)

// Stream is a file as documents and the text between them.
type Stream struct {
	// Documents are in the order of the file.
	Documents []Document
	// LineEnd is the line end of the first line, "\r\n" or "\n"; "\n" if there is only one line.
	LineEnd string

	data []byte
	tail []byte
}

// Document is a document of a file.
type Document struct {
	// Header has the comments, with a blank line below them, between the marker and the document. It must not
	// be altered.
	Header []byte
	// Text is the document without its header. It includes the line of the marker if the document begins in
	// it. It must not be altered.
	Text []byte
	// Line is the number of Text's first line in the file, from 1.
	Line int

	// above is the text before the marker: the byte order mark, comments and directives of the file, and the
	// end marker of the previous document. marker is the line of the marker, unless that belongs to Text.
	above, marker []byte
	content       bool
}

// IsEmpty reports whether the document has only comments.
func (d Document) IsEmpty() bool { return !d.content }

// Comments returns the comments above the document, in the form of a header and with the line end
// "\n": the comments above its marker and its header, or all of a document without content.
func (d Document) Comments() []byte {
	below := d.Header
	if d.IsEmpty() {
		below = d.Text
	}
	var out []byte
	for _, text := range [2][]byte{bytes.TrimPrefix(d.above, []byte("\uFEFF")), below} {
		for line := range bytes.Lines(withLineEnds(text, "\n")) {
			if isComment(line) {
				out = append(out, line...)
			}
		}
	}
	if out = bytes.TrimSpace(out); len(out) == 0 {
		return nil
	}
	return append(out, "\n\n"...)
}

// Read splits a file at its markers. It never fails, even if the documents are not valid YAML.
func Read(data []byte) *Stream {
	at := len(data) - len(bytes.TrimPrefix(data, []byte("\uFEFF")))
	r := reader{s: &Stream{data: data, LineEnd: LineEnd(data)}, number: 1, lead: at, leadNumber: 1, text: -1}
	for at < len(data) {
		next := NextLine(data, at)
		r.line(data[at:next], at, next)
		at = next
		r.number++
	}
	r.close(len(data))
	r.s.tail = data[r.gap:]
	return r.s
}

// Bytes returns the file as it was read.
func (s *Stream) Bytes() []byte { return s.data }

// reader finds the documents of a file, line by line.
type reader struct {
	s      *Stream
	number int
	// gap is the start of the text above the next document, lead the start of its own comments in line leadNumber.
	gap, lead, leadNumber int
	// text is the start of the open document, -1 if none is open.
	text int
	open Document
}

// line reads the line from at to next.
func (r *reader) line(line []byte, at, next int) {
	switch kind, rest := markerOf(line); {
	case kind == begins:
		r.close(at)
		r.open = Document{above: r.s.data[r.gap:at]}
		if isBlank(rest) || bytes.TrimLeft(rest, " \t")[0] == '#' {
			r.open.marker, r.open.Line, r.text = line, r.number+1, next
			return
		}
		r.open.Line, r.open.content, r.text = r.number, true, at
	case kind == ends:
		r.close(at)
		r.lead, r.leadNumber = next, r.number+1
	case r.text >= 0:
		r.open.content = r.open.content || !isComment(line)
	case line[0] == '%':
		r.lead, r.leadNumber = next, r.number+1
	case !isComment(line):
		r.open = Document{above: r.s.data[r.gap:r.lead], Line: r.leadNumber, content: true}
		r.text = r.lead
	}
}

// close ends the open document.
func (r *reader) close(at int) {
	if r.text >= 0 {
		if r.open.content {
			r.open.Header = header(r.s.data[r.text:at])
			r.text += len(r.open.Header)
			r.open.Line += bytes.Count(r.open.Header, []byte("\n"))
		}
		r.open.Text = r.s.data[r.text:at:at]
		r.s.Documents = append(r.s.Documents, r.open)
		r.gap, r.lead, r.leadNumber, r.text = at, at, r.number, -1
	}
}

// WithHeader returns the file with the text above the first document of another file, if only that file
// changed this text since origin (rules/files: files). The line ends stay.
func (s *Stream) WithHeader(origin, other *Stream) *Stream {
	if len(s.Documents) == 0 || len(origin.Documents) == 0 || len(other.Documents) == 0 {
		return s
	}
	l, o, u := s.Documents[0], origin.Documents[0], other.Documents[0]
	if inBrackets(l.Text) != inBrackets(u.Text) {
		u.marker = l.marker // KYAML begins with a marker, as part of its form
	}
	if !sameHeader(l, o) || sameHeader(l, u) || hasMarker(l.Text) || hasMarker(u.Text) {
		return s
	}
	out := *s
	out.Documents = slices.Clone(s.Documents)
	first := &out.Documents[0]
	first.above, first.marker = withLineEnds(u.above, s.LineEnd), withLineEnds(u.marker, s.LineEnd)
	first.Header = withLineEnds(u.Header, s.LineEnd)
	return &out
}

// inBrackets reports whether a document is a mapping in brackets.
func inBrackets(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !isComment(line) {
			return bytes.TrimLeft(line, " \t")[0] == '{'
		}
	}
	return false
}

// sameHeader reports whether the texts above two documents differ only in line ends.
func sameHeader(a, b Document) bool {
	text := func(d Document) []byte {
		return withLineEnds(bytes.Join([][]byte{d.above, d.marker, d.Header}, []byte{0}), "\n")
	}
	return bytes.Equal(text(a), text(b))
}
