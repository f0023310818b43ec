package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// gap is the lines between the end of an entry and what follows: empty ones and
// comments.
type gap struct {
	start int
	lines []gapLine
	// level is that of the collection whose entry follows, -1 at the end.
	level int
}

type gapLine struct {
	start, end int // end is behind the line break
	column     int // of the comment, -1 for an empty line
	level      int
}

// read reads the gap that begins at s.at, and goes to what follows it.
func (s *scanner) read() (end bool) {
	s.gap.start, s.gap.lines = s.at, s.gap.lines[:0]
	for s.at < len(s.text) {
		first := skipSpaces(s.text, s.at)
		l := gapLine{start: s.at, column: first - s.at}
		if isBreak(s.text, first) {
			l.column = -1
		} else if s.text[first] != '#' {
			if l.column == 0 && isMarker(s.text[s.at:stream.NextLine(s.text, s.at)]) {
				return true
			}
			s.at = first
			return false
		}
		l.end = stream.NextLine(s.text, s.at)
		s.gap.lines = append(s.gap.lines, l)
		s.at = l.end
	}
	return true
}

// lead reads the gap above the first entry of a collection that is not open yet.
func (s *scanner) lead() {
	s.read()
	s.gap.level = len(s.open)
	for i := range s.gap.lines {
		s.gap.lines[i].level = s.gap.level
	}
}

// none says that there is no gap: a first entry follows in the same line.
func (s *scanner) none() {
	s.gap.start, s.gap.lines, s.gap.level = s.at, s.gap.lines[:0], len(s.open)
}

// follow reads the gap below an entry, and gives its lines to the collections
// that are open.
func (s *scanner) follow() error {
	s.gap.level = -1
	if end := s.read(); !end {
		column := s.at - lineStart(s.text, s.at)
		for j := len(s.open) - 1; j >= 0 && s.gap.level < 0; j-- {
			if s.open[j].column == column && s.open[j].list == isDash(s.text, s.at) {
				s.gap.level = j
			}
		}
		if s.gap.level < 0 {
			return errStrange
		}
	}
	deepest := len(s.open) - 1
	for i := range s.gap.lines {
		if l := &s.gap.lines[i]; l.column >= 0 {
			deepest = min(deepest, s.levelOf(l.column))
			l.level = deepest
		}
	}
	above := max(0, s.gap.level)
	for i := len(s.gap.lines) - 1; i >= 0; i-- {
		if l := &s.gap.lines[i]; l.column < 0 {
			l.level = above
		} else {
			above = l.level
		}
	}
	return nil
}

// isDash reports whether an element begins at a position.
func isDash(text []byte, at int) bool {
	return at+1 < len(text) && text[at] == '-' && (text[at+1] == ' ' || text[at+1] == '\t' || isBreak(text, at+1))
}

// levelOf returns the level of a comment in the gap: the deepest collection that
// it is indented like, if that is deeper than the one whose entry follows. What
// is in the column of a list and of the map around it is the map's; the list's
// is indented by more.
func (s *scanner) levelOf(column int) int {
	next := s.gap.level
	for j := len(s.open) - 1; j > next && j > 0; j-- {
		if own := s.open[j].column; own < column || own == column && own > s.open[j-1].column {
			return j
		}
	}
	return max(0, next)
}

// endOf returns where the collection of a level ends, if it ends in the gap.
func (g *gap) endOf(level int) int {
	end := g.start
	for _, l := range g.lines {
		if l.level >= level {
			end = l.end
		}
	}
	return end
}

// comments returns the comments of a level, with the empty lines between them.
func (s *scanner) comments(level int) string {
	var lines []string
	for _, l := range s.gap.lines {
		switch {
		case l.level != level || l.column < 0 && lines == nil:
		case l.column < 0:
			lines = append(lines, "")
		default:
			lines = append(lines, string(s.text[l.start+l.column:trimLeft(s.text, lineEnd(s.text, l.start))]))
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// above gives what follows the gap its head comment, and returns where its
// lines begin, those that stay and those that go with it.
func (s *scanner) above(n *yaml.Node) (float, lead int) {
	n.HeadComment = s.comments(s.gap.level)
	float = s.gap.endOf(s.gap.level + 1)
	lead = float
	for _, l := range s.gap.lines {
		if l.level == s.gap.level && l.column < 0 {
			lead = l.end
		}
	}
	return float, lead
}
