package marker

import (
	"bytes"
	"strings"

	"github.com/resource-merge/resource-merge/internal/markerline"
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
// length. size is that length; for 0 it is that of the first line, at least 7. A line that looks like a marker of
// another length is text. broken is the line of the first marker that lacks one of its lines, 0 if there is none:
// the line that began it, or another one that has no beginning. A line "=" without the others is text.
func Read(text []byte, size int) (conflicts []Conflict, broken int) {
	r := reader{size: size}
	if size <= 0 && !bytes.Contains(text, []byte("<<<<<<<")) && !bytes.Contains(text, []byte(">>>>>>>")) && !bytes.Contains(text, []byte("|||||||")) {
		return nil, 0
	}
	at := 0
	for line := range bytes.Lines(text) {
		r.number++
		r.read(line, at)
		at += len(line)
	}
	r.abandon()
	return r.conflicts, r.broken
}

// reader reads the conflicts of a text line by line.
type reader struct {
	size, number int
	conflicts    []Conflict
	broken       int
	// current is the conflict that has begun, nil outside of conflicts, with the length of its markers and
	// the side that is read.
	current *Conflict
	length  int
	side    Side
}

// read reads the line at an offset.
func (r *reader) read(line []byte, at int) {
	mark, length, label := markerline.Split(line)
	inside := r.current != nil && length == r.length
	switch begins := mark == '<' && (length == r.size || r.size <= 0 && length >= markerline.Length); {
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
		if inside && mark != 0 && mark != '=' {
			r.noteBroken(r.current.Line)
		}
		r.current.Sides[r.side] = append(r.current.Sides[r.side], line...)
	case (mark == '>' || mark == '|') && (length == r.size || r.size <= 0 && length == markerline.Length):
		r.noteBroken(r.number)
	}
}

func (r *reader) noteBroken(line int) {
	if r.broken == 0 {
		r.broken = line
	}
}

// abandon takes the current conflict for text, since it has no end.
func (r *reader) abandon() {
	if r.current != nil {
		r.noteBroken(r.current.Line)
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
	isThere := func(mark rune) bool { return bytes.Contains(text, bytes.Repeat([]byte(string(mark)), f.size())) }
	if !strings.ContainsFunc(marks, isThere) {
		return false
	}
	for line := range bytes.Lines(text) {
		if mark, length, _ := markerline.Split(line); mark != 0 && length == f.size() && strings.IndexByte(marks, mark) >= 0 {
			return true
		}
	}
	return false
}
