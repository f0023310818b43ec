package marker

import (
	"bytes"
	"strings"
)

// Style is git's merge.conflictStyle.
type Style string

const (
	// Merge shows ours and theirs.
	Merge Style = "merge"
	// Diff3 shows the base too.
	Diff3 Style = "diff3"
	// ZealousDiff3 shows the base too, and takes lines that ours and theirs both begin
	// or end with out of the conflict.
	ZealousDiff3 Style = "zdiff3"
)

// Format is how markers are written.
type Format struct {
	Style Style
	// Size is how many characters a marker has; 0 is git's 7.
	Size int
	// Labels are what the markers call the sides.
	Labels [3]string
}

// Render writes pieces as a text with markers. Its line ends are those of the first
// line.
func (f Format) Render(p Pieces) []byte {
	var out []byte
	eol := lineEnd(p)
	for _, piece := range p {
		if piece.Conflict {
			out = f.conflict(out, piece, eol)
		} else {
			out = append(out, piece.Same...)
		}
	}
	return out
}

// conflict writes one conflict.
func (f Format) conflict(out []byte, p Piece, eol string) []byte {
	out = append(out, f.marker('<', f.Labels[Ours], eol)...)
	out = append(out, p.Sides[Ours]...)
	if f.Style == Diff3 || f.Style == ZealousDiff3 {
		out = append(out, f.marker('|', f.Labels[Base], eol)...)
		out = append(out, p.Sides[Base]...)
	}
	out = append(out, f.marker('=', "", eol)...)
	out = append(out, p.Sides[Theirs]...)
	return append(out, f.marker('>', f.Labels[Theirs], eol)...)
}

func (f Format) marker(mark byte, label, eol string) string {
	line := strings.Repeat(string(mark), f.size())
	if label != "" {
		line += " " + label
	}
	return line + eol
}

func (f Format) size() int {
	if f.Size <= 0 {
		return 7
	}
	return f.Size
}

// HasMarker reports whether a line of a text would be taken for a marker: a text
// that has one cannot be marked, nor be merged as YAML.
func (f Format) HasMarker(text []byte) bool {
	for line := range bytes.Lines(text) {
		if _, found := f.MarkerOf(line); found {
			return true
		}
	}
	return false
}

// lineEnd is the line break of the first line.
func lineEnd(p Pieces) string {
	for _, piece := range p {
		for _, text := range [4][]byte{piece.Same, piece.Sides[Ours], piece.Sides[Theirs], piece.Sides[Base]} {
			if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
				return "\r\n"
			} else if at >= 0 {
				return "\n"
			}
		}
	}
	return "\n"
}

// Marked counts the lines of ours and theirs between the markers of a text.
func (f Format) Marked(text []byte) (lines int) {
	_, lines = f.Parse(text).Conflicts()
	return lines
}

// Parse reads a text with markers as git writes it. It is what Render wrote.
func (f Format) Parse(text []byte) (out Pieces) {
	var sides [3][]byte
	inside, side := false, Ours
	for line := range bytes.Lines(text) {
		mark, isMark := f.MarkerOf(line)
		switch {
		case isMark && mark == '<':
			sides, inside, side = [3][]byte{}, true, Ours
		case isMark && inside && mark == '|':
			side = Base
		case isMark && inside && mark == '=':
			side = Theirs
		case isMark && inside:
			inside = false
			out = append(out, Piece{Conflict: true, Sides: sides})
		case inside:
			sides[side] = append(sides[side], line...)
		default:
			out.same(line)
		}
	}
	return out
}

// MarkerOf returns the character of the marker that a line is, and whether it is one.
func (f Format) MarkerOf(line []byte) (mark byte, ok bool) {
	if len(line) < f.size() || strings.IndexByte("<|=>", line[0]) < 0 {
		return 0, false
	}
	mark = line[0]
	rest := bytes.TrimLeft(line, string(rune(mark)))
	length := len(line) - len(rest)
	rest = bytes.TrimRight(rest, "\r\n")
	return mark, length == f.size() && (len(rest) == 0 || rest[0] == ' ')
}

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
