package gitdiff

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// context is the number of lines shown around a change.
const context = 3

// lineRange is a range of lines of the old version, and of the new version in its place.
type lineRange struct{ oldLo, oldHi, newLo, newHi int }

// hunk is a range of lines with its changes and their context.
type hunk struct {
	lineRange
	changes []lineRange
}

// findHunks returns the differences between two versions. Changes with at most twice the context
// between them share a hunk.
func findHunks(was, is []string) []hunk {
	var hunks []hunk
	for _, c := range findChanges(was, is) {
		if n := len(hunks) - 1; n >= 0 && c.oldLo-hunks[n].changes[len(hunks[n].changes)-1].oldHi <= 2*context {
			hunks[n].changes = append(hunks[n].changes, c)
		} else {
			hunks = append(hunks, hunk{changes: []lineRange{c}})
		}
	}
	for i := range hunks {
		first, last := hunks[i].changes[0], hunks[i].changes[len(hunks[i].changes)-1]
		above := min(context, first.oldLo)
		below := min(context, len(was)-last.oldHi)
		hunks[i].lineRange = lineRange{first.oldLo - above, last.oldHi + below, first.newLo - above, last.newHi + below}
	}
	return hunks
}

// findChanges returns the ranges of lines that differ.
func findChanges(was, is []string) []lineRange {
	match := align.Lines(was, is)
	removed, added := make([]bool, len(was)), make([]bool, len(is))
	for i := range added {
		added[i] = true
	}
	for i, j := range match {
		if removed[i] = j < 0; !removed[i] {
			added[j] = false
		}
	}
	slideGroups(removed, added, was)
	slideGroups(added, removed, is)
	return joinMarked(removed, added)
}

// joinMarked returns the ranges of marked lines.
func joinMarked(removed, added []bool) []lineRange {
	var out []lineRange
	for i, j := 0, 0; i < len(removed) || j < len(added); {
		s := lineRange{oldLo: i, newLo: j}
		for i < len(removed) && removed[i] {
			i++
		}
		for j < len(added) && added[j] {
			j++
		}
		if s.oldHi, s.newHi = i, j; i > s.oldLo || j > s.newLo {
			out = append(out, s)
		} else {
			i, j = i+1, j+1
		}
	}
	return out
}

// hunk writes a hunk.
func (p *printer) hunk(h hunk, was, is []string) {
	p.hunkHeader(h, was)
	at := h.oldLo
	for _, c := range h.changes {
		p.lines(keptText, was[at:c.oldLo])
		p.lines(removedText, was[c.oldLo:c.oldHi])
		p.lines(addedText, is[c.newLo:c.newHi])
		at = c.oldHi
	}
	p.lines(keptText, was[at:h.oldHi])
}

// hunkHeader writes the range of a hunk, and the nearest line above it that begins with a letter,
// which in YAML is a top-level field.
func (p *printer) hunkHeader(h hunk, was []string) {
	section := ""
	for i := h.oldLo - 1; i >= 0 && section == ""; i-- {
		if c := was[i][0] | 0x20; c >= 'a' && c <= 'z' || was[i][0] == '_' || was[i][0] == '$' {
			section = " " + strings.TrimRight(was[i][:min(len(was[i]), 80)], " \t\r\n")
		}
	}
	p.write(hunkText, fmt.Sprintf("@@ -%s +%s @@", formatRange(h.oldLo, h.oldHi), formatRange(h.newLo, h.newHi)))
	p.write(keptText, section)
	p.end()
}

// formatRange formats a range of lines, counted from 1. An empty range has the line before it.
func formatRange(lo, hi int) string {
	switch hi - lo {
	case 0:
		return fmt.Sprintf("%d,0", lo)
	case 1:
		return fmt.Sprint(lo + 1)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi-lo)
}

// slideGroups moves groups of marked lines to where a reader expects them. A group can move up if
// the line above it equals its last line, and down if the line below it equals its first. It moves
// to the position whose first line is indented the least, the lowest if there are several: a new
// field then begins with its key. A group that replaces marked lines of the other version stays.
func slideGroups(marked, other []bool, lines []string) {
	replaced := findReplaced(marked, other)
	for lo := 0; lo < len(marked); lo++ {
		if !marked[lo] {
			continue
		}
		hi := lo
		for hi < len(marked) && marked[hi] {
			hi++
		}
		if replaced[lo] {
			lo = hi
			continue
		}
		lo = slideGroup(lo, hi, marked, replaced, lines)
	}
}

// findReplaced reports for each marked line whether it replaces marked lines of the other version,
// and for each other line whether marked lines of the other version are directly above it.
func findReplaced(marked, other []bool) []bool {
	replaced := make([]bool, len(marked)+1)
	j := 0
	for i := 0; i <= len(marked); {
		lo := i
		for i < len(marked) && marked[i] {
			i++
		}
		others := j
		for j < len(other) && other[j] {
			j++
		}
		for k := lo; k <= i && j > others; k++ {
			replaced[k] = true
		}
		i, j = i+1, j+1
	}
	return replaced
}

// slideGroup moves a group to its best position and returns the end of the group.
func slideGroup(lo, hi int, marked, replaced []bool, lines []string) int {
	up, down := 0, 0
	for lo-up > 0 && !marked[lo-up-1] && lines[lo-up-1] == lines[hi-up-1] && !replaced[lo-up-1] {
		up++
	}
	for hi+down < len(lines) && !marked[hi+down] && lines[hi+down] == lines[lo+down] && !replaced[hi+down+1] && (hi+down+1 == len(lines) || !marked[hi+down+1]) {
		down++
	}
	shift := down
	for s := down - 1; s >= -up; s-- {
		if indentation(lines[lo+s]) < indentation(lines[lo+shift]) {
			shift = s
		}
	}
	for i := lo; i < hi; i++ {
		marked[i] = false
	}
	for i := lo + shift; i < hi+shift; i++ {
		marked[i] = true
	}
	return max(hi, hi+shift)
}

// indentation returns the indentation of a line, the largest for a blank one.
func indentation(line string) int {
	text := strings.TrimLeft(line, " \t")
	if strings.TrimSpace(text) == "" {
		return 1 << 30
	}
	return len(line) - len(text)
}
