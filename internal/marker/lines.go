package marker

import (
	"bytes"
	"strings"
)

// shifted moves lines by some columns. Empty lines stay empty.
func shifted(lines []byte, by int) []byte {
	if by == 0 {
		return lines
	}
	var out []byte
	for line := range bytes.Lines(lines) {
		switch first := len(line) - len(bytes.TrimLeft(line, " ")); {
		case len(bytes.TrimSpace(line)) == 0:
		case by < 0:
			line = line[min(-by, first):]
		default:
			out = append(out, bytes.Repeat([]byte(" "), by)...)
		}
		out = append(out, line...)
	}
	return out
}

// common is the length of the whole lines that two texts both begin with.
func common(a, b []byte) int {
	n := 0
	for line := range bytes.Lines(a) {
		if !bytes.HasPrefix(b[n:], line) {
			break
		}
		n += len(line)
	}
	return n
}

// commonTail is the length of the whole lines that two texts both end with.
func commonTail(a, b string) int {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	n := 0
	for i := 1; i <= min(len(x), len(y)) && x[len(x)-i] == y[len(y)-i]; i++ {
		n += len(x[len(x)-i])
	}
	return n
}

// isBroken reports whether the last line of a text has no line break.
func isBroken(text []byte) bool { return len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) }

// whole is a text that ends with a line break.
func whole(text []byte) []byte {
	if !isBroken(text) {
		return text
	}
	return append(text[:len(text):len(text)], '\n')
}
