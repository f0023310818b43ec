package gitdiff

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// context is how many lines around a change are shown.
const context = 3

// stretch is lines of the old version, and those of the new one in their place.
type stretch struct{ oldLo, oldHi, newLo, newHi int }

// hunk is a stretch with its context, and the changes in it.
type hunk struct {
	stretch
	changes []stretch
}

// hunksOf are the differences between two versions. Changes with at most twice the
// context between them are in one hunk.
func hunksOf(was, is []string) []hunk {
	var hunks []hunk
	for _, c := range stretchesOf(was, is) {
		if n := len(hunks) - 1; n >= 0 && c.oldLo-hunks[n].changes[len(hunks[n].changes)-1].oldHi <= 2*context {
			hunks[n].changes = append(hunks[n].changes, c)
		} else {
			hunks = append(hunks, hunk{changes: []stretch{c}})
		}
	}
	for i := range hunks {
		first, last := hunks[i].changes[0], hunks[i].changes[len(hunks[i].changes)-1]
		above := min(context, first.oldLo)
		below := min(context, len(was)-last.oldHi)
		hunks[i].stretch = stretch{first.oldLo - above, last.oldHi + below, first.newLo - above, last.newHi + below}
	}
	return hunks
}

// stretchesOf are the lines that differ.
func stretchesOf(was, is []string) []stretch {
	match := align.Lines(was, is)
	gone, come := make([]bool, len(was)), make([]bool, len(is))
	for i := range come {
		come[i] = true
	}
	for i, j := range match {
		if gone[i] = j < 0; !gone[i] {
			come[j] = false
		}
	}
	slide(gone, come, was)
	slide(come, gone, is)
	return between(gone, come)
}

// between are the stretches of marked lines.
func between(gone, come []bool) []stretch {
	var out []stretch
	for i, j := 0, 0; i < len(gone) || j < len(come); {
		s := stretch{oldLo: i, newLo: j}
		for i < len(gone) && gone[i] {
			i++
		}
		for j < len(come) && come[j] {
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
	p.place(h, was)
	at := h.oldLo
	for _, c := range h.changes {
		p.lines(kept, was[at:c.oldLo])
		p.lines(removed, was[c.oldLo:c.oldHi])
		p.lines(added, is[c.newLo:c.newHi])
		at = c.oldHi
	}
	p.lines(kept, was[at:h.oldHi])
}

// place writes where a hunk stands, and the nearest line above it that begins with a
// letter, which in YAML is a field of the top.
func (p *printer) place(h hunk, was []string) {
	section := ""
	for i := h.oldLo - 1; i >= 0 && section == ""; i-- {
		if c := was[i][0] | 0x20; c >= 'a' && c <= 'z' || was[i][0] == '_' || was[i][0] == '$' {
			section = " " + strings.TrimRight(was[i][:min(len(was[i]), 80)], " \t\r\n")
		}
	}
	p.write(hunkPlace, fmt.Sprintf("@@ -%s +%s @@", extent(h.oldLo, h.oldHi), extent(h.newLo, h.newHi)))
	p.write(kept, section)
	p.end()
}

// extent is where lines stand, counted from 1; where there are none, the line before.
func extent(lo, hi int) string {
	switch hi - lo {
	case 0:
		return fmt.Sprintf("%d,0", lo)
	case 1:
		return fmt.Sprint(lo + 1)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi-lo)
}

// slide moves groups of marked lines to where a reader expects them: if the line
// above a group equals its last one, or that below its first one, the same change
// has several places. The one whose first line is indented the least is taken, of
// several the lowest: a new field then begins with its key. Where the other version
// has marks too, the group stays: other are those, and a group that touches one of
// them is a replacement.
func slide(marked, other []bool, lines []string) {
	replaced := places(marked, other)
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
		lo = best(lo, hi, marked, replaced, lines)
	}
}

// places tells which marked lines stand beside marked lines of the other version.
// It tells for unmarked lines whether marked lines of the other version stand right
// above them.
func places(marked, other []bool) []bool {
	beside := make([]bool, len(marked)+1)
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
			beside[k] = true
		}
		i, j = i+1, j+1
	}
	return beside
}

// best moves a group to its best place and returns where it ends.
func best(lo, hi int, marked, beside []bool, lines []string) int {
	up, down := 0, 0
	for lo-up > 0 && !marked[lo-up-1] && lines[lo-up-1] == lines[hi-up-1] && !beside[lo-up-1] {
		up++
	}
	for hi+down < len(lines) && !marked[hi+down] && lines[hi+down] == lines[lo+down] && !beside[hi+down+1] && (hi+down+1 == len(lines) || !marked[hi+down+1]) {
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

// indentation is how far a line is indented; that of a blank one is the farthest.
func indentation(line string) int {
	text := strings.TrimLeft(line, " \t")
	if strings.TrimSpace(text) == "" {
		return 1 << 30
	}
	return len(line) - len(text)
}
