// Package stream is a file as a sequence of YAML documents and what is between them,
// all bytes known (rules/files: added and removed documents): so that documents can be
// replaced, removed, inserted and moved, and every other byte stays.
//
// A document is the lines between two markers, comments and empty lines included.
// What is between two documents is the marker lines, with the comments behind the
// markers, directives, and the header of the document below: comments with an empty
// line below them. What is so above the first document is the file's, a licence say.
package stream

import "bytes"

// Stream is a file as documents and what is between them.
type Stream struct {
	// Documents are in the order of the file.
	Documents []Document
	// LineEnd is how the first line of the file ends: "\n", also where there is only
	// one line, or "\r\n".
	LineEnd string

	data []byte
	tail []byte
}

// Document is a document of a file.
type Document struct {
	// Header is comments with an empty line below them, above the document and below its
	// marker. It must not be altered.
	Header []byte
	// Text is the document without its header and its marker line, unless something of
	// the document is in that line. It must not be altered.
	Text []byte
	// Line is the number of Text's first line in the file, from 1.
	Line int

	// above is what is in front of the marker: the byte order mark, comments and
	// directives of the file, the end of the document before. marker is the line of
	// the marker, empty if the document has none or a part of itself is in that line.
	above, marker []byte
	content       bool
}

// IsEmpty reports whether there is nothing in the document but comments.
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
			if isRemark(line) {
				out = append(out, line...)
			}
		}
	}
	if out = bytes.TrimSpace(out); len(out) == 0 {
		return nil
	}
	return append(out, "\n\n"...)
}

// Read reads a file. It never fails: of what is no YAML, a document is still what is
// between two markers.
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

// Bytes is the file as it was read.
func (s *Stream) Bytes() []byte { return s.data }

// reader finds the documents of a file, line by line.
type reader struct {
	s      *Stream
	number int
	// gap is where what is above the next document begins; lead and leadNumber are
	// where its own comments do.
	gap, lead, leadNumber int
	// text is where the open document begins, -1 if none is open.
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
		r.open.content = r.open.content || !isRemark(line)
	case line[0] == '%':
		r.lead, r.leadNumber = next, r.number+1
	case !isRemark(line):
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

// WithHeader is the file with what stands above the first document of another file, as
// long as no side but the other one changed that since origin (rules/files: files): in
// the file's line ends.
func (s *Stream) WithHeader(origin, other *Stream) *Stream {
	if len(s.Documents) == 0 || len(origin.Documents) == 0 || len(other.Documents) == 0 {
		return s
	}
	l, o, u := s.Documents[0], origin.Documents[0], other.Documents[0]
	if inBrackets(l.Text) != inBrackets(u.Text) {
		u.marker = l.marker // KYAML begins with one: it belongs to the form
	}
	if !sameHeader(l, o) || sameHeader(l, u) || hasMarker(l.Text) || hasMarker(u.Text) {
		return s
	}
	out := *s
	out.Documents = append([]Document(nil), s.Documents...)
	for _, part := range []struct {
		to   *[]byte
		from []byte
	}{{&out.Documents[0].above, u.above}, {&out.Documents[0].marker, u.marker}, {&out.Documents[0].Header, u.Header}} {
		*part.to = withLineEnds(part.from, s.LineEnd)
	}
	return &out
}

// inBrackets reports whether a document is a mapping in brackets.
func inBrackets(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !isRemark(line) {
			return bytes.TrimLeft(line, " \t")[0] == '{'
		}
	}
	return false
}

// sameHeader reports whether the same stands above two documents, line ends aside.
func sameHeader(a, b Document) bool {
	text := func(d Document) []byte {
		return withLineEnds(bytes.Join([][]byte{d.above, d.marker, d.Header}, []byte{0}), "\n")
	}
	return bytes.Equal(text(a), text(b))
}
