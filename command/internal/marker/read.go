package marker

import (
	"bytes"
	"strings"
)

// Conflict is a conflict in a text with markers, as git or Render wrote it.
type Conflict struct {
	Piece
	// Start and End are the offsets of the first marker line and of the line after the last one.
	Start, End int
	// Line is the number of the first marker line, from 1.
	Line int
	// Labels are the names of the sides in the marker lines, "" for a line without one.
	Labels [3]string
	// ShowsBase reports that the base is between the markers.
	ShowsBase bool
}

// Read finds the conflicts that the markers of a text show: the lines "<", perhaps "|", "=" and ">", all of one
// length. size is that length; for 0 it is that of the first line, at least 7. Any other line that looks like a
// marker is text. unfinished is the line of the first conflict without an end, 0 if there is none.
func Read(text []byte, size int) (conflicts []Conflict, unfinished int) {
	r := reader{size: size}
	if size <= 0 && !bytes.Contains(text, []byte("<<<<<<<")) {
		return nil, 0
	}
	at := 0
	for line := range bytes.Lines(text) {
		r.number++
		r.read(line, at)
		at += len(line)
	}
	r.abandon()
	return r.conflicts, r.unfinished
}

// reader reads the conflicts of a text line by line.
type reader struct {
	size, number int
	conflicts    []Conflict
	unfinished   int
	// current is the conflict that has begun, nil outside of conflicts, with the length of its markers and
	// the side that is read.
	current *Conflict
	length  int
	side    Side
}

// read reads the line at an offset.
func (r *reader) read(line []byte, at int) {
	mark, length, label := splitMarker(line)
	inside := r.current != nil && length == r.length
	switch begins := mark == '<' && (length == r.size || r.size <= 0 && length >= 7); {
	case begins && (r.current == nil || inside && r.side == Ours):
		r.abandon()
		r.current, r.length, r.side = &Conflict{Piece: Piece{Conflict: true}, Start: at, Line: r.number}, length, Ours
		r.current.Labels[Ours] = label
	case inside && mark == '|' && r.side == Ours:
		r.side, r.current.ShowsBase, r.current.Labels[Base] = Base, true, label
	case inside && mark == '=' && r.side != Theirs:
		r.side = Theirs
	case inside && mark == '>' && r.side == Theirs:
		r.current.Labels[Theirs], r.current.End = label, at+len(line)
		r.conflicts, r.current = append(r.conflicts, *r.current), nil
	case r.current != nil:
		r.current.Sides[r.side] = append(r.current.Sides[r.side], line...)
	}
}

// abandon takes the current conflict for text, since it has no end.
func (r *reader) abandon() {
	if r.current != nil && r.unfinished == 0 {
		r.unfinished = r.current.Line
	}
	r.current = nil
}

// Parse returns the pieces of a text with markers of the format's size.
func (f Format) Parse(text []byte) (out Pieces) {
	conflicts, _ := Read(text, f.size())
	at := 0
	for _, c := range conflicts {
		out.addSame(text[at:c.Start])
		out, at = append(out, c.Piece), c.End
	}
	out.addSame(text[at:])
	return out
}

// MarkedLines counts the lines of ours and theirs between the markers of a text.
func (f Format) MarkedLines(text []byte) (lines int) {
	_, lines = f.Parse(text).Conflicts()
	return lines
}

// HasMarker reports whether a line of a text looks like a marker. Such a text is neither marked nor merged as YAML.
func (f Format) HasMarker(text []byte) bool { return f.hasMarker(text, "<|=>") }

// ShowsBase reports whether a text with markers has the base's lines between them, too.
func (f Format) ShowsBase(text []byte) bool { return f.hasMarker(text, "|") }

// hasMarker reports whether a line looks like one of some markers.
func (f Format) hasMarker(text []byte, marks string) bool {
	for line := range bytes.Lines(text) {
		if mark, length, _ := splitMarker(line); mark != 0 && length == f.size() && strings.IndexByte(marks, mark) >= 0 {
			return true
		}
	}
	return false
}

// splitMarker returns the repeated character of a marker line, its number, and the label behind it. The character is 0 for any other line.
func splitMarker(line []byte) (mark byte, length int, label string) {
	if len(line) == 0 || strings.IndexByte("<|=>", line[0]) < 0 {
		return 0, 0, ""
	}
	rest := bytes.TrimLeft(line, string(rune(line[0])))
	length = len(line) - len(rest)
	if rest = bytes.TrimRight(rest, "\r\n"); len(rest) > 0 && rest[0] != ' ' {
		return 0, 0, ""
	}
	return line[0], length, strings.TrimSpace(string(rest))
}
