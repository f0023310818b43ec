package stream

import "bytes"

// marker is what a line is to the documents of a file.
type marker int

const (
	none marker = iota
	begins
	ends
)

// markerOf reads a line that may begin or end a document: three dashes or points in
// its first columns, and white space or nothing behind these. rest is what is behind.
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

// isRemark reports whether a line is empty or a comment.
func isRemark(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return isBlank(line) || line[0] == '#'
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// LineEnd is how the first line of a text ends: "\n" or "\r\n".
func LineEnd(text []byte) string {
	if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// NextLine is where the line below that of a position begins.
func NextLine(text []byte, at int) int {
	if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(text)
}

// withLineEnds is text with other line ends.
func withLineEnds(text []byte, end string) []byte {
	if LineEnd(text) == end && (end == "\n") == !bytes.Contains(text, []byte("\r\n")) {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\n"), []byte(end))
}

// LikeIn is a text with the line ends of the text that it stands for, where all of that
// one's are alike.
func LikeIn(text, was []byte) []byte {
	switch breaks, crlf := bytes.Count(was, []byte("\n")), bytes.Count(was, []byte("\r\n")); {
	case breaks > 0 && crlf == 0:
		return withLineEnds(text, "\n")
	case breaks > 0 && crlf == breaks:
		return withLineEnds(text, "\r\n")
	}
	return text
}

// closed is text with a line end at its end, if there is any text.
func closed(text []byte, end string) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return text
	}
	return append(text[:len(text):len(text)], end...)
}

// header is the beginning of a text down to the last empty line that is above its first
// field and below a comment; nothing if there is none.
func header(text []byte) []byte {
	end, comments := 0, false
	for at := 0; at < len(text); {
		next := NextLine(text, at)
		switch line := text[at:next]; {
		case isBlank(line):
			if comments {
				end = next
			}
		case !isRemark(line):
			return text[:end]
		default:
			comments = true
		}
		at = next
	}
	return text[:end]
}
