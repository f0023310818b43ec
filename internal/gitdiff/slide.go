package gitdiff

import "strings"

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
