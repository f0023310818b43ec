package merge

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// joinedLines returns the lines of several comments, with an empty line between two.
func joinedLines(comments []string) (lines []string) {
	for _, c := range comments {
		if c == "" {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, strings.Split(c, "\n")...)
	}
	return lines
}

// sameWords reports whether two texts have the same lines apart from empty ones.
func sameWords(a, b []string) bool {
	return withoutEmptyLines(strings.Join(a, "\n")) == withoutEmptyLines(strings.Join(b, "\n"))
}

// gone is the place of a line that the dividing side removed between two of its comments, as by uncommenting a field.
const gone = -1

// divideLike divides the comments of origin and of the other side into as many comments as the dividing side has, where
// heads reports which of them are above one of its new entries. It fails if a change has lines of several of them. The text
// with more lines of the dividing side is divided first, and the other one like it: that is the other side's if the dividing
// side has its changes already.
func divideLike(heads []bool, own, originTexts, otherTexts []string) (os, ys []string, ok bool) {
	y := joinedLines(otherTexts)
	o := withoutRemoved(joinedLines(originTexts), joinedLines(own), y)
	lines, at := linesWithPlaces(own)
	byOrigin, byOther := align.Lines(o, lines), align.Lines(y, lines)
	if align.Count(byOther) > align.Count(byOrigin) {
		ys, os, ok = divideInTurn(heads, at, y, byOther, o)
		return os, ys, ok
	}
	return divideInTurn(heads, at, o, byOrigin, y)
}

// divideOrigin is divideLike if the other side has its comments in the same places as the dividing side. It divides
// origin's like the ones that have more of origin's lines.
func divideOrigin(heads []bool, own, originTexts, otherTexts []string) (os, ys []string, ok bool) {
	o := withoutRemoved(joinedLines(originTexts), joinedLines(own), joinedLines(otherTexts))
	lines, at := linesWithPlaces(own)
	match := align.Lines(o, lines)
	if others, atOther := linesWithPlaces(otherTexts); align.Count(align.Lines(o, others)) > align.Count(match) {
		at, match = atOther, align.Lines(o, others)
	}
	os, _, ok = divideInTurn(heads, at, o, match, nil)
	return os, otherTexts, ok
}

// linesWithPlaces returns the lines of comments, and the index of the comment of each. Empty lines are layout.
func linesWithPlaces(comments []string) (lines []string, at []int) {
	for i, c := range comments {
		for line := range strings.SplitSeq(c, "\n") {
			if line != "" {
				lines, at = append(lines, line), append(at, i)
			}
		}
	}
	return lines, at
}

// withoutRemoved returns the lines of origin without the ones that both sides removed, where the other side put none in
// their place.
func withoutRemoved(o, own, y []string) (rest []string) {
	inOwn, inOther := align.Lines(o, own), align.Lines(o, y)
	removed := map[int]bool{}
	for _, h := range align.Hunks(inOther, len(y)) {
		for i := h.ALo; i < h.AHi && h.BLo == h.BHi; i++ {
			removed[i] = inOwn[i] < 0 && o[i] != ""
		}
	}
	for i, line := range o {
		if !removed[i] {
			rest = append(rest, line)
		}
	}
	return rest
}

// divideInTurn divides first, which is aligned with lines in these places, and then second like it.
func divideInTurn(heads []bool, at []int, first []string, match []int, second []string) (a, b []string, ok bool) {
	d := lineDivision{heads: heads, lines: first}
	if !d.placeFirst(at, match) {
		return nil, nil, false
	}
	places, ok := d.placeSecond(second)
	return placed(first, d.place, len(heads)), placed(second, places, len(heads)), ok
}

// lineDivision has the places of the first text's lines: indices of the dividing side's comments, or gone.
type lineDivision struct {
	heads []bool // for each of these comments, whether it is above a new entry
	lines []string
	place []int
}

// placeFirst finds the places of the first text's lines, by the pairs of these with lines of the dividing side. Lines that
// this side changed are where it has its own.
func (d *lineDivision) placeFirst(at, match []int) bool {
	d.place = make([]int, len(d.lines))
	for i, j := range match {
		if j >= 0 {
			d.place[i] = at[j]
		}
	}
	for _, h := range align.Hunks(match, len(at)) {
		first, last := 0, len(d.heads)-1
		if h.BLo > 0 {
			first = at[h.BLo-1]
		}
		if h.BHi < len(at) {
			last = at[h.BHi]
		}
		place := gone
		switch changed := slices.Compact(slices.Clone(at[h.BLo:h.BHi])); {
		case first == last || !slices.ContainsFunc(d.lines[h.ALo:h.AHi], hasWords):
			place = first
		case len(changed) == 1:
			place = changed[0]
		case len(changed) > 1:
			return false
		}
		for i := h.ALo; i < h.AHi; i++ {
			d.place[i] = place
		}
	}
	return true
}

// placeSecond finds the places of the second text's lines: changed lines are where the first text's are, and new ones
// next to their neighbours.
func (d *lineDivision) placeSecond(lines []string) ([]int, bool) {
	match := align.Lines(d.lines, lines)
	out := make([]int, len(lines))
	for _, h := range align.Hunks(match, len(lines)) {
		if h.BLo == h.BHi {
			continue
		}
		place, ok := d.placeHunk(h, lines)
		if !ok {
			return nil, false
		}
		for i := h.BLo; i < h.BHi; i++ {
			out[i] = place
		}
	}
	for i, j := range match {
		if j >= 0 {
			out[j] = d.place[i]
		}
	}
	return out, true
}

// placeHunk returns the place of new lines, or of lines in the place of some of the first text's. If the dividing side
// removed these, both sides changed them, and all lines that it removed with them are in conflict: merging again would
// add the others. ok is false if they belong to several comments.
func (d *lineDivision) placeHunk(h align.Hunk, lines []string) (place int, ok bool) {
	changed := slices.Clone(d.place[h.ALo:h.AHi])
	slices.Sort(changed)
	changed = slices.DeleteFunc(slices.Compact(changed), func(p int) bool { return p == gone })
	switch {
	case len(changed) > 1:
		return 0, false
	case len(changed) == 1:
		place = changed[0]
	case h.ALo == h.AHi:
		return d.newPlace(h, lines), true
	default:
		place = d.entry(d.before(h.ALo), d.after(h.ALo))
		for h.ALo > 0 && d.place[h.ALo-1] == gone {
			h.ALo--
		}
		for h.AHi < len(d.place) && d.place[h.AHi] == gone {
			h.AHi++
		}
	}
	for i := h.ALo; i < h.AHi; i++ {
		d.place[i] = place
	}
	return place, true
}

// newPlace returns the place of new lines: with the line above them if they touch it, else with the line below. Above a
// line that is gone they are above the entry in its place.
func (d *lineDivision) newPlace(h align.Hunk, lines []string) int {
	touches := h.BLo > 0 && h.BLo < h.BHi && lines[h.BLo-1] != "" && lines[h.BLo] != ""
	switch {
	case touches && h.ALo > 0 && d.place[h.ALo-1] != gone:
		return d.place[h.ALo-1]
	case d.goneBelow(h.ALo):
		return d.entry(d.before(h.ALo), d.after(h.ALo))
	}
	return d.after(h.ALo)
}

// goneBelow reports whether the next line from an index on is gone, and the line above it is not.
func (d *lineDivision) goneBelow(i int) bool {
	above, below := i-1, i
	for above >= 0 && d.lines[above] == "" {
		above--
	}
	for below < len(d.lines) && d.lines[below] == "" {
		below++
	}
	return below < len(d.lines) && d.place[below] == gone && (above < 0 || d.place[above] != gone)
}

// entry returns the first place from first on that is above a new entry, and first if there is none before last.
func (d *lineDivision) entry(first, last int) int {
	for i := first; i < last; i++ {
		if d.heads[i] {
			return i
		}
	}
	return first
}

// after returns the place of the first line from an index on that is not gone, the last place if there is none.
func (d *lineDivision) after(i int) int {
	for _, p := range d.place[i:] {
		if p != gone {
			return p
		}
	}
	return len(d.heads) - 1
}

// before returns the place of the last line before an index that is not gone, the first place if there is none.
func (d *lineDivision) before(i int) int {
	for _, p := range slices.Backward(d.place[:i]) {
		if p != gone {
			return p
		}
	}
	return 0
}

// placed returns the lines in each place, without empty lines at the ends.
func placed(lines []string, places []int, count int) []string {
	parts := make([][]string, count)
	for i, p := range places {
		if p != gone {
			parts[p] = append(parts[p], lines[i])
		}
	}
	out := make([]string, count)
	for i, part := range parts {
		out[i] = strings.Trim(strings.Join(part, "\n"), "\n")
	}
	return out
}
