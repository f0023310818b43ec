package marker

import (
	"bytes"
	"strings"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// Style is a value of git's merge.conflictStyle.
type Style string

const (
	// Merge shows ours and theirs.
	Merge Style = "merge"
	// Diff3 shows the base as well.
	Diff3 Style = "diff3"
	// ZealousDiff3 shows the base as well, and trims the lines with which ours and theirs both begin or end.
	ZealousDiff3 Style = "zdiff3"
)

// Format says how markers are written.
type Format struct {
	Style Style
	// Size is the length of a marker; 0 means git's 7.
	Size int
	// Labels are the names of the sides in the markers.
	Labels [3]string
}

// Render returns the text of the pieces with markers, whose line breaks are like the first line's.
func (f Format) Render(p Pieces) []byte {
	eol := lineEnd(p)
	out := make([]byte, 0, f.room(p))
	for _, piece := range p {
		if piece.Conflict {
			out = f.conflict(out, piece, eol)
		} else {
			out = append(out, piece.Same...)
		}
	}
	return out
}

// room returns about the length of the text that Render returns.
func (f Format) room(p Pieces) (size int) {
	for _, piece := range p {
		size += len(piece.Same)
		if piece.Conflict {
			size += len(piece.Sides[Ours]) + len(piece.Sides[Base]) + len(piece.Sides[Theirs]) + 4*(f.size()+len(f.Labels[Base]))
		}
	}
	return size
}

// conflict appends one conflict with its markers.
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

// lineEnd returns the line break of the first line.
func lineEnd(p Pieces) string {
	for _, piece := range p {
		for _, text := range [4][]byte{piece.Same, piece.Sides[Ours], piece.Sides[Theirs], piece.Sides[Base]} {
			if bytes.IndexByte(text, '\n') >= 0 {
				return stream.LineEnd(text)
			}
		}
	}
	return "\n"
}

// shift indents lines by some columns, or removes indentation if by is negative. Blank lines stay as they are.
func shift(lines []byte, by int) []byte {
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

// commonHead returns the length of the whole lines with which two texts both begin.
func commonHead(a, b []byte) int {
	n := 0
	for line := range bytes.Lines(a) {
		if !bytes.HasPrefix(b[n:], line) {
			break
		}
		n += len(line)
	}
	return n
}

// commonTail returns the length of the whole lines with which two texts both end.
func commonTail(a, b string) int {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	n := 0
	for i := 1; i <= min(len(x), len(y)) && x[len(x)-i] == y[len(y)-i]; i++ {
		n += len(x[len(x)-i])
	}
	return n
}

// isUnterminated reports whether the last line of a text lacks its line break.
func isUnterminated(text []byte) bool { return len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) }

// terminate returns a text with a line break at its end.
func terminate(text []byte) []byte {
	if !isUnterminated(text) {
		return text
	}
	return append(text[:len(text):len(text)], '\n')
}
