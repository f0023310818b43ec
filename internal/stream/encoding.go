package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Encoding has the bytes of a file that its documents lack: the byte order mark, the line ends, and the line separators
// of JSON. The documents' lines end with "\n".
type Encoding struct {
	// LineEnd is the line end of the first line, "\r\n" or "\n"; "\n" if there is only one line.
	LineEnd string

	hasMark bool
	// ends has the line ends of a file in which they differ: for each line's text, in the order of the file.
	ends map[string][]string
	// separators has the line separators of a JSON file that are escapes in its documents.
	separators string
}

// lineSeparators are the characters that end a line in YAML 1.1, and that JSON allows in a string.
const lineSeparators = "\u0085\u2028\u2029"

// ByteOrderMark begins a file in UTF-8 that some editors write.
const ByteOrderMark = "\uFEFF"

// Decode returns a file without its byte order mark, and with line ends "\n". The line separators of a JSON file become
// escapes, as YAML's parser would take them for line breaks.
func Decode(raw []byte) ([]byte, Encoding) {
	text := bytes.TrimPrefix(raw, []byte(ByteOrderMark))
	e := Encoding{LineEnd: LineEnd(text), hasMark: len(text) < len(raw)}
	if breaks, crlf := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n")); crlf != 0 && crlf != breaks {
		e.ends = map[string][]string{}
		for line := range bytes.Lines(text) {
			if text, end := cutLineEnd(line); end != "" {
				e.ends[text] = append(e.ends[text], end)
			}
		}
	}
	text = withLineEnds(text, "\n")
	e.separators = separatorsOf(text)
	for _, r := range e.separators {
		text = bytes.ReplaceAll(text, utf8.AppendRune(nil, r), []byte(escapeOf(r)))
	}
	return text, e
}

// separatorsOf returns the line separators in a JSON file, without repetitions; "" for other files.
func separatorsOf(text []byte) string {
	first := bytes.TrimLeft(text, " \t\n")
	if len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return ""
	}
	found := strings.Map(func(r rune) rune {
		if bytes.ContainsRune(text, r) {
			return r
		}
		return -1
	}, lineSeparators)
	if found == "" || !json.Valid(text) {
		return ""
	}
	return found
}

// escapeOf returns a line separator as JSON escapes it.
func escapeOf(r rune) string { return fmt.Sprintf(`\u%04x`, r) }

// IsPlain reports whether a file is its decoded text.
func (e Encoding) IsPlain() bool {
	return !e.hasMark && e.LineEnd == "\n" && e.ends == nil && e.separators == ""
}

// Encode returns the bytes of a file with another text. A line that the file had keeps its line end, and others get
// the one of its first line. Escapes of line separators become the separators that the file had.
func (e Encoding) Encode(text []byte) []byte {
	if e.IsPlain() {
		return text
	}
	text = e.withSeparators(text)
	var out []byte
	if e.hasMark {
		out = []byte(ByteOrderMark)
	}
	if e.ends == nil {
		return append(out, bytes.ReplaceAll(text, []byte("\n"), []byte(e.LineEnd))...)
	}
	seen := map[string]int{}
	for line := range bytes.Lines(text) {
		text, broken := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, text...)
		if ends := e.ends[string(text)]; broken && seen[string(text)] < len(ends) {
			out = append(out, ends[seen[string(text)]]...)
			seen[string(text)]++
		} else if broken {
			out = append(out, e.LineEnd...)
		}
	}
	return out
}

// withSeparators replaces the escapes of the separators.
func (e Encoding) withSeparators(text []byte) []byte {
	if e.separators == "" {
		return text
	}
	pairs := []string{`\\`, `\\`} // a backslash begins no escape
	for _, r := range e.separators {
		pairs = append(pairs, escapeOf(r), string(r))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
}

// cutLineEnd splits a line into its text and its line end, which is "" at the end of a file.
func cutLineEnd(line []byte) (text, end string) {
	rest, broken := bytes.CutSuffix(line, []byte("\n"))
	if !broken {
		return string(line), ""
	}
	if bare, found := bytes.CutSuffix(rest, []byte("\r")); found {
		return string(bare), "\r\n"
	}
	return string(rest), "\n"
}

// LineEnd returns the line end of the first line: "\n" or "\r\n".
func LineEnd(text []byte) string {
	if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
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

// LikeIn returns a text with the line ends of the text that it replaces, if these are uniform.
func LikeIn(text, was []byte) []byte {
	switch breaks, crlf := bytes.Count(was, []byte("\n")), bytes.Count(was, []byte("\r\n")); {
	case breaks > 0 && crlf == 0:
		return withLineEnds(text, "\n")
	case breaks > 0 && crlf == breaks:
		return withLineEnds(text, "\r\n")
	}
	return text
}
