package stream

import "bytes"

// Entry is a document of a new file.
type Entry struct {
	// Document is the index of the document in the stream, -1 for another document.
	Document int
	// Header and Text are the header and the text without a marker; nil for the unchanged ones of the stream.
	Header, Text []byte
}

// Join returns a file of other documents. Documents of the stream keep the text above them, and must keep
// their order; a removed one loses its marker, but the header of the file stays. Other documents get a
// marker, and the stream's line ends. lines are the numbers of the first lines of the entries' texts, from 1.
func (s *Stream) Join(entries []Entry) (data []byte, lines []int) {
	j := joiner{s: s}
	line, counted := 1, 0
	for i, e := range entries {
		text := j.text(e)
		switch {
		case i == 0:
			j.first(e, text)
		case e.Document > 0:
			j.write(s.Documents[e.Document].above)
			j.write(s.Documents[e.Document].marker)
			j.write(j.header(e))
		case !hasMarker(text):
			j.write([]byte("---" + j.s.LineEnd))
			j.write(j.header(e))
		}
		line += bytes.Count(j.out[counted:], []byte("\n"))
		counted = len(j.out)
		lines = append(lines, line)
		j.out = append(j.out, text...)
	}
	j.write(s.tail)
	return j.out, lines
}

// joiner joins a file.
type joiner struct {
	s   *Stream
	out []byte
}

// text returns the text of an entry.
func (j *joiner) text(e Entry) []byte {
	switch {
	case e.Text == nil:
		return j.s.Documents[e.Document].Text
	case e.Document < 0:
		return withLineEnds(e.Text, j.s.LineEnd)
	}
	return e.Text
}

// header returns the header of an entry, except for the file's.
func (j *joiner) header(e Entry) []byte {
	if e.Header == nil && e.Document > 0 {
		return j.s.Documents[e.Document].Header
	}
	return withLineEnds(e.Header, j.s.LineEnd)
}

// write writes a text on a new line.
func (j *joiner) write(text []byte) {
	if len(text) > 0 {
		j.out = append(closed(j.out, j.s.LineEnd), text...)
	}
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
