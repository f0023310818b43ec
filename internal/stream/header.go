package stream

import "bytes"

// WithHeader is the file with what stands above the first document of another file, as
// long as no side but the other one changed that since origin (design 17.2): in the
// file's line ends.
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
