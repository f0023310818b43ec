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

	raw      []byte // the file as it was read
	encoding Encoding
	data     []byte // the file without a byte order mark, and with line ends "\n"
	tail     []byte
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

	// above is the text before the marker: comments and directives of the file, and the end marker of the
	// previous document. marker is the line of the marker, unless that belongs to Text.
	above, marker []byte
	content       bool
}

// IsEmpty reports whether the document has only comments.
func (d Document) IsEmpty() bool { return !d.content }

// Comments returns the comments above the document, in the form of a header: the comments above its
// marker and its header, or all of a document without content.
func (d Document) Comments() []byte { return commentsIn(d.above, d.below()) }

// CommentsAround returns the comments above the document's marker and those below it, each in the form of a header.
func (d Document) CommentsAround() (above, below []byte) {
	return commentsIn(d.above), commentsIn(d.below())
}

// below returns the text with comments between the marker and the document.
func (d Document) below() []byte {
	if d.IsEmpty() {
		return d.Text
	}
	return d.Header
}

// commentsIn returns the comments in texts, with an empty line below them, nil if there are none.
func commentsIn(texts ...[]byte) (out []byte) {
	for _, text := range texts {
		for line := range bytes.Lines(text) {
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

// MarkerComment returns the comment behind the document's marker, "" if the document begins in that line.
func (d Document) MarkerComment() string {
	_, comment := markerOf(d.marker)
	return string(bytes.TrimSpace(comment))
}

// HasMarker reports whether the document has a marker in a line of its own.
func (d Document) HasMarker() bool { return d.marker != nil }

// HasCommentAbove reports whether a comment is directly above the document, without an empty line below it.
func (d Document) HasCommentAbove(comment string) bool {
	return comment != "" && bytes.HasPrefix(d.Text, []byte(comment))
}

// Read splits a file at its markers. It never fails, even if the documents are not valid YAML.
func Read(data []byte) *Stream {
	s := &Stream{raw: data}
	data, s.encoding = Decode(data)
	s.data = data
	r := reader{s: s, number: 1, leadNumber: 1, text: -1}
	at := 0
	for line := range bytes.Lines(data) {
		r.line(line, at, at+len(line))
		at += len(line)
		r.number++
	}
	r.close(len(data))
	r.s.tail = data[r.gap:]
	return r.s
}

// Bytes returns the bytes of the file as they were read.
func (s *Stream) Bytes() []byte { return s.raw }

// Encoding returns the encoding of the file.
func (s *Stream) Encoding() Encoding { return s.encoding }

// Section is a document of a file, with the lines between it and the one before: comments and directives, the end marker of the
// one before, and the marker. Body is the document with its header, and has the Line-th line of the file as its first. The last
// section may have no document.
type Section struct {
	Above, Body []byte
	Line        int
}

// Sections returns a file that was read as sections, without the byte order mark, and with line ends "\n". They must not be altered.
func (s *Stream) Sections() (out []Section) {
	at := 0
	for _, d := range s.Documents {
		body := at + len(d.above) + len(d.marker)
		end := body + len(d.Header) + len(d.Text)
		line := d.Line - bytes.Count(d.Header, []byte("\n"))
		out, at = append(out, Section{Above: s.data[at:body:body], Body: s.data[body:end:end], Line: line}), end
	}
	if at < len(s.data) {
		out = append(out, Section{Above: s.data[at:]})
	}
	return out
}

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
// changed this text since origin (rules/files: headers).
func (s *Stream) WithHeader(origin, other *Stream) *Stream {
	if len(s.Documents) == 0 || len(origin.Documents) == 0 || len(other.Documents) == 0 {
		return s
	}
	l, o, u := s.Documents[0], origin.Documents[0], other.Documents[0]
	if IsInBrackets(l.Text) != IsInBrackets(u.Text) {
		u.marker = l.marker // KYAML begins with a marker, as part of its form
	}
	if !sameHeader(l, o) || sameHeader(l, u) || hasMarker(l.Text) || hasMarker(u.Text) {
		return s
	}
	out := s.withFirst()
	first := &out.Documents[0]
	first.above, first.marker, first.Header = u.above, u.marker, u.Header
	return out
}

// WithComments returns the file with other comments above its first document, in the form that Comments returns: above
// the marker if comments are there already, else below it. Directives stay.
func (s *Stream) WithComments(comments []byte) *Stream {
	if above, _ := s.Documents[0].CommentsAround(); above == nil {
		return s.WithCommentsBelow(comments)
	}
	return s.WithCommentsAbove(comments).WithCommentsBelow(nil)
}

// WithCommentsAbove returns the file with other comments above the marker of its first document. Directives stay.
func (s *Stream) WithCommentsAbove(comments []byte) *Stream {
	out := s.withFirst()
	first := &out.Documents[0]
	var directives, last []byte
	for last = range bytes.Lines(first.above) {
		if !isComment(last) {
			directives = append(directives, last...)
		}
	}
	if !isBlank(last) {
		comments = bytes.TrimSuffix(comments, []byte("\n"))
	}
	first.above = slices.Concat(comments, directives)
	return out
}

// WithCommentsBelow returns the file with other comments between the marker of its first document and the document.
func (s *Stream) WithCommentsBelow(comments []byte) *Stream {
	out := s.withFirst()
	out.Documents[0].Header = comments
	return out
}

// withFirst returns a copy of the file whose first document may be altered.
func (s *Stream) withFirst() *Stream {
	out := *s
	out.Documents = slices.Clone(s.Documents)
	return &out
}

// IsInBrackets reports whether a document is a mapping in brackets.
func IsInBrackets(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !isComment(line) {
			return bytes.TrimLeft(line, " \t")[0] == '{'
		}
	}
	return false
}

// sameHeader reports whether the texts above two documents are equal.
func sameHeader(a, b Document) bool {
	return bytes.Equal(a.above, b.above) && bytes.Equal(a.marker, b.marker) && bytes.Equal(a.Header, b.Header)
}

// marker is the meaning of a line for the documents of a file.
type marker int

const (
	none marker = iota
	begins
	ends
)

// markerOf returns the meaning of a line: three dashes begin a document and three points end it, if they
// start the line and white space or nothing follows. rest is the text after them.
func markerOf(line []byte) (kind marker, rest []byte) {
	if len(line) < 3 || len(line) > 3 && bytes.IndexByte([]byte(" \t\r\n"), line[3]) < 0 {
		return none, nil
	}
	switch string(line[:3]) {
	case "---":
		return begins, line[3:]
	case "...":
		return ends, line[3:]
	}
	return none, nil
}

// isComment reports whether a line is blank or a comment.
func isComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return isBlank(line) || line[0] == '#'
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// NextLine returns the start of the line after that of a position.
func NextLine(text []byte, at int) int {
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(text)
}

// header returns the start of a text, up to the last blank line between a comment and the first field.
func header(text []byte) []byte {
	at, end, comments := 0, 0, false
	for line := range bytes.Lines(text) {
		switch at += len(line); {
		case isBlank(line) && comments:
			end = at
		case isBlank(line):
		case !isComment(line):
			return text[:end]
		default:
			comments = true
		}
	}
	return text[:end]
}

// Entry is a document of a new file.
type Entry struct {
	// Document is the index of the document in the stream, -1 for another document.
	Document int
	// Header and Text are the header and the text without a marker; nil for the unchanged ones of the stream.
	Header, Text []byte
	// Marker is the line of the marker, nil for the unchanged one. The first document keeps the stream's.
	Marker []byte
}

// Joined is the text of an entry in the file that Join returns.
type Joined struct {
	// Line is the number of the text's first line, from 1.
	Line int
	// Text is the part of the file that has the text, nil if the file is in another encoding. It must not be altered.
	Text []byte
}

// Join returns a file of other documents, and the places of the entries' texts in it. Documents of the stream keep the
// text above them, and must keep their order; a removed one loses its marker, but the header of the file stays. Other
// documents get a marker. A line that the stream's file had keeps its line end, and others get the one of its first line.
func (s *Stream) Join(entries []Entry) (data []byte, joined []Joined) {
	j := joiner{s: s}
	j.out = make([]byte, 0, j.size(entries))
	joined = make([]Joined, len(entries))
	line, counted := 1, 0
	for i, e := range entries {
		text := j.text(e)
		switch {
		case i == 0:
			j.first(e, text)
		case e.Document > 0:
			j.write(s.Documents[e.Document].above)
			j.write(j.marker(e))
			j.write(j.header(e))
		case !hasMarker(text):
			j.write(j.marker(e))
			j.write(j.header(e))
		}
		line += bytes.Count(j.out[counted:], []byte("\n"))
		counted = len(j.out)
		j.out = append(j.out, text...)
		joined[i] = Joined{Line: line, Text: j.out[counted:len(j.out):len(j.out)]}
	}
	j.write(s.tail)
	if !s.encoding.IsPlain() {
		for i := range joined {
			joined[i].Text = nil
		}
	}
	return s.encoding.Encode(j.out), joined
}

// joiner joins a file.
type joiner struct {
	s   *Stream
	out []byte
}

// size returns the most bytes that a file of some documents can have.
func (j *joiner) size(entries []Entry) int {
	size := len(j.s.tail) + 1
	for i := range j.s.Documents {
		size += len(j.s.Documents[i].above) + len(j.s.Documents[i].marker) + len(j.s.Documents[i].Header)
	}
	for _, e := range entries {
		size += len("\n---\n") + len(e.Marker) + len(e.Header) + len(j.text(e))
	}
	return size
}

func (j *joiner) text(e Entry) []byte {
	if e.Text == nil {
		return j.s.Documents[e.Document].Text
	}
	return e.Text
}

// marker returns the line of the marker of an entry: three dashes if the document begins the stream, or is new in it.
func (j *joiner) marker(e Entry) []byte {
	switch {
	case e.Marker != nil:
		return e.Marker
	case e.Document > 0:
		return j.s.Documents[e.Document].marker
	}
	return []byte("---\n")
}

// header returns the header of an entry, except for the file's.
func (j *joiner) header(e Entry) []byte {
	if e.Header == nil && e.Document > 0 {
		return j.s.Documents[e.Document].Header
	}
	return e.Header
}

// write writes a text on a new line.
func (j *joiner) write(text []byte) {
	if n := len(j.out); n > 0 && len(text) > 0 && j.out[n-1] != '\n' {
		j.out = append(j.out, '\n')
	}
	j.out = append(j.out, text...)
}

// first writes the text above the first document of the result, which has the given text.
func (j *joiner) first(e Entry, text []byte) {
	if len(j.s.Documents) == 0 {
		j.out = append(j.out, j.header(e)...)
		return
	}
	top := j.s.Documents[0]
	j.out = append(j.out, top.above...)
	switch {
	case e.Document > 0 && bytes.IndexByte(j.s.Documents[e.Document].marker, '#') >= 0:
		j.out = append(j.out, j.s.Documents[e.Document].marker...)
	case !hasMarker(text):
		j.out = append(j.out, top.marker...)
	}
	if j.out = append(j.out, top.Header...); e.Document != 0 {
		j.out = append(j.out, j.header(e)...)
	}
}

// hasMarker reports whether a text begins with a marker of its own.
func hasMarker(text []byte) bool {
	kind, _ := markerOf(text[:NextLine(text, 0)])
	return kind == begins
}
