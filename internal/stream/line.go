package stream

import "bytes"

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

// LineEnd returns the line end of the first line: "\n" or "\r\n".
func LineEnd(text []byte) string {
	if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// NextLine returns the start of the line after that of a position.
func NextLine(text []byte, at int) int {
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(text)
}

// withLineEnds replaces the line ends of a text.
func withLineEnds(text []byte, end string) []byte {
	breaks, crlf := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	if end == "\n" && crlf == 0 || end == "\r\n" && crlf == breaks {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\n"), []byte(end))
}

// LikeIn returns a text with the line ends of the text that it replaces, if those are all alike.
func LikeIn(text, was []byte) []byte {
	switch breaks, crlf := bytes.Count(was, []byte("\n")), bytes.Count(was, []byte("\r\n")); {
	case breaks > 0 && crlf == 0:
		return withLineEnds(text, "\n")
	case breaks > 0 && crlf == breaks:
		return withLineEnds(text, "\r\n")
	}
	return text
}

// closed returns a text that ends with a line end, unless it is empty.
func closed(text []byte, end string) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return text
	}
	return append(text[:len(text):len(text)], end...)
}

// header returns the start of a text, up to the last blank line between a comment and the first field.
func header(text []byte) []byte {
	end, comments := 0, false
	for at := 0; at < len(text); {
		next := NextLine(text, at)
		switch line := text[at:next]; {
		case isBlank(line) && comments:
			end = next
		case isBlank(line):
		case !isComment(line):
			return text[:end]
		default:
			comments = true
		}
		at = next
	}
	return text[:end]
}
