package marker

import "bytes"

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
