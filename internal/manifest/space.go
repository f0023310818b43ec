package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// The texts whose empty lines are merged.
const (
	inOrigin = iota
	inUpstream
	inLocal
	inResult
)

// spaced returns the text of a result with the empty lines between its entries merged (rules/comments-and-text: empty lines).
// The pieces stay if the text stays.
func spaced(origin, upstream, local *Text, pieces [][]byte, result *Part) [][]byte {
	if upstream == nil {
		return pieces
	}
	out, err := read(bytes.Join(pieces, nil), local.item, false)
	if err != nil {
		return pieces
	}
	var m spaceMerger
	var tops [4]*place
	for i, t := range [4]*Text{origin, upstream, local, out} {
		if len(t.top.entries) == 0 {
			return pieces
		}
		m.texts[i], tops[i] = t.bytes, t.top.entries[0].value
	}
	m.collection(tops, result)
	m.changes = slices.DeleteFunc(m.changes, func(c change) bool {
		isHeader := c.end <= lineStart(out.bytes, tops[inResult].entries[0].start)  // it merges as the comment above the document
		return isHeader || (origin.broken || out.broken) && c.end == len(out.bytes) // there is no place below such a last line
	})
	if len(m.changes) == 0 {
		return pieces
	}
	return [][]byte{out.asFile(applied(out.bytes, 0, len(out.bytes), m.changes))}
}

// spaceMerger merges the empty lines of origin, upstream and local by changes of a result's text, which has local's.
type spaceMerger struct {
	texts   [4][]byte
	changes []change
}

// collection merges the empty lines in the versions of a map or list over lines. part is nil if its elements are only known by
// their values. There are no empty lines to merge if upstream's text is origin's or the result's.
func (m *spaceMerger) collection(of [4]*place, part *Part) {
	var lines [4][]byte
	for i, p := range of {
		if p.form != block && !p.lines || p.odd || len(p.entries) == 0 || p.node.Kind != of[inResult].node.Kind {
			return
		}
		lines[i] = m.texts[i][min(p.start, p.entries[0].float):p.end]
	}
	if bytes.Equal(lines[inUpstream], lines[inOrigin]) || bytes.Equal(lines[inUpstream], lines[inResult]) {
		return
	}
	if of[inResult].node.Kind == yaml.SequenceNode && (part == nil || part.Parts == nil) &&
		!sameValue(of[inOrigin].node, of[inUpstream].node) && !sameValue(of[inOrigin].node, of[inLocal].node) {
		return // both sides changed the list as a whole: its text is compared with origin's for markers
	}
	ends := [4]int{-1, -1, -1, -1}
	above, known := ends, true
	versions := versionsOf(of, part)
	for i, at := range versions {
		isKnown := !slices.Contains(at[:], -1)
		if isKnown && i > 0 {
			m.belowAdded(of, versions[i-1], at)
		}
		if isKnown && known {
			m.between(of, above, at)
		}
		if known = isKnown; known {
			var values [4]*place
			for j, p := range of {
				values[j] = p.entries[at[j]].value
			}
			m.collection(values, partAt(part, of[inResult], i))
			above = at
		}
	}
	for i, p := range of {
		ends[i] = len(p.entries)
	}
	if known {
		m.between(of, above, ends)
	}
}

// partAt returns the part for an entry of the result, nil if it is not known.
func partAt(part *Part, in *place, i int) *Part {
	if part == nil || len(part.Parts) != len(in.entries) {
		return nil
	}
	return &part.Parts[i]
}

// versionsOf returns the indices of the versions of each entry of the result, -1 where a text lacks it.
func versionsOf(of [4]*place, part *Part) [][4]int {
	entries := of[inResult].entries
	at, elements := make([][4]int, len(entries)), make([]Part, len(entries))
	for i := range at {
		at[i][inResult], elements[i].Value = i, entries[i].value.node
	}
	for j, p := range of[:inResult] {
		fields, byValue := finder{p: p}, []int(nil)
		for i := range at {
			switch own := partAt(part, of[inResult], i); {
			case entries[i].key != nil:
				at[i][j] = fields.find(entries[i].key)
			case own != nil:
				at[i][j] = indexIn(p, [...]Entry{own.Origin, own.Upstream, own.Local}[j])
			default:
				if byValue == nil {
					byValue = aligned(p, elements)
				}
				at[i][j] = byValue[i]
			}
		}
	}
	return at
}

// gapRange is the range of the lines between two entries.
type gapRange struct{ start, end int }

// between merges the empty lines between two entries of collections, whose indices may be -1 and the number of entries.
func (m *spaceMerger) between(of [4]*place, above, at [4]int) {
	var gaps [4]gapRange
	var apart [4]bool
	for i, p := range of {
		var ok bool
		if gaps[i], ok = p.gapBetween(m.texts[i], above[i], at[i]); !ok {
			return
		}
		apart[i] = above[i]+1 < at[i]
	}
	switch {
	case !apart[inOrigin] && !apart[inUpstream] && !apart[inResult]:
		commented := above[inResult] < 0 || sameEnds(of, above)
		if apart[inLocal] || !commented || !m.mergeAll(gaps) {
			m.merge(gaps, commented)
		}
	case apart[inOrigin] && !apart[inUpstream] && apart[inLocal] && !apart[inResult]:
		m.replace(gaps)
	}
}

// belowAdded gives the result upstream's empty lines between an entry that upstream alone has, above, and the one below it, if
// local has as many empty lines above that one as origin.
func (m *spaceMerger) belowAdded(of [4]*place, above, at [4]int) {
	if above[inOrigin] >= 0 || above[inLocal] >= 0 || above[inUpstream] < 0 || above[inUpstream]+1 != at[inUpstream] {
		return
	}
	above[inOrigin], above[inLocal] = at[inOrigin]-1, at[inLocal]-1
	var first [4]space
	for i, p := range of {
		gap, ok := p.gapBetween(m.texts[i], above[i], at[i])
		spaces := spacesIn(m.texts[i], gap)
		if !ok || spaces == nil {
			return
		}
		first[i] = spaces[0]
	}
	if first[inOrigin].count == first[inLocal].count && first[inUpstream].after == first[inResult].after {
		m.set(first[inResult], first[inUpstream].count)
	}
}

// sameEnds reports whether the versions of an entry are all maps and lists over lines, or none is: the comments below another
// value may be its commented-out fields.
func sameEnds(of [4]*place, at [4]int) bool {
	isBlock := func(i int) bool { return of[i].entries[at[i]].value.form == block }
	return isBlock(inOrigin) == isBlock(inUpstream) && isBlock(inUpstream) == isBlock(inResult)
}

// gapBetween returns the range of the lines between two entries of p. ok is false if the entries have no lines of their own, or the
// lines belong to a block scalar.
func (p *place) gapBetween(text []byte, above, at int) (gap gapRange, ok bool) {
	if ok = true; above >= 0 {
		gap.start, ok = p.entries[above].end, !p.entries[above].value.keepsBreaks(text)
	} else {
		gap.start = p.entries[0].float
	}
	switch {
	case at < len(p.entries):
		gap.end = lineStart(text, p.entries[at].start)
	case p.lines:
		gap.end = p.closing
	default:
		gap.end = p.end
	}
	return gap, ok && gap.start <= gap.end
}

// keepsBreaks reports whether p ends with a block scalar to which empty lines below it belong.
func (p *place) keepsBreaks(text []byte) bool {
	for p.form == block && len(p.entries) > 0 {
		p = p.entries[len(p.entries)-1].value
	}
	return p.form == literal && bytes.IndexByte(text[p.bare:p.head], '+') >= 0
}

// replace gives the result upstream's empty lines in place of entries that upstream removed, if local had left these and the lines
// around them as in origin: those beside the same entries and comments.
func (m *spaceMerger) replace(gaps [4]gapRange) {
	line := func(i int) []byte { return m.texts[i][gaps[i].start:gaps[i].end] }
	if !bytes.Equal(line(inOrigin), line(inLocal)) {
		return
	}
	theirs := spacesIn(m.texts[inUpstream], gaps[inUpstream])
	for _, s := range spacesIn(m.texts[inResult], gaps[inResult]) {
		if at := slices.IndexFunc(theirs, s.isBeside); at >= 0 {
			m.set(s, theirs[at].count)
		}
	}
}

// set gives a place of the result a number of empty lines.
func (m *spaceMerger) set(s space, count int) {
	if count == s.count {
		return
	}
	at := s.start
	for ; at < s.end && count > 0; count-- {
		at = stream.NextLine(m.texts[inResult], at)
	}
	m.changes = append(m.changes, change{at, s.end, bytes.Repeat([]byte("\n"), count)})
}

// space is count empty lines in one place between two entries. before and after are the comments directly above and below
// it, "" for an entry.
type space struct {
	start, end, count int
	before, after     string
}

// isBeside reports whether a place is between the same lines.
func (s space) isBeside(other space) bool { return s.before == other.before && s.after == other.after }

// spacesIn returns the places for empty lines in a gap: above the first comment, between two comments, and below the last
// one. There are none if other lines are there.
func spacesIn(text []byte, gap gapRange) []space {
	spaces := []space{{start: gap.start, end: gap.start}}
	for at := gap.start; at < gap.end; {
		last, next := &spaces[len(spaces)-1], stream.NextLine(text, at)
		switch line := strings.TrimSpace(string(text[at:next])); {
		case line == "":
			last.count, last.end = last.count+1, next
		case line[0] != '#':
			return nil
		default:
			last.after = line
			spaces = append(spaces, space{start: next, end: next, before: line})
		}
		at = next
	}
	return spaces
}

// merge merges the empty lines in a gap: what one side alone changed, the result has, and local's stay if both did. commented
// reports whether comments may be there.
func (m *spaceMerger) merge(gaps [4]gapRange, commented bool) {
	var spaces [4][]space
	for _, i := range []int{inOrigin, inUpstream, inLocal, inResult} {
		spaces[i] = spacesIn(m.texts[i], gaps[i])
		if i != inLocal && (spaces[i] == nil || len(spaces[i]) > 1 && !commented) {
			return
		}
	}
	for i, s := range spaces[inResult] {
		was, is, ok := counterparts(spaces[inOrigin], spaces[inUpstream], spaces[inResult], i)
		if ok && was == s.count {
			m.set(s, is)
		}
		u := slices.IndexFunc(spaces[inUpstream], s.isBeside)
		if !ok && u >= 0 && spaces[inLocal] != nil && !slices.ContainsFunc(slices.Concat(spaces[inOrigin], spaces[inLocal]), s.isBeside) {
			m.set(s, spaces[inUpstream][u].count) // upstream alone has these lines beside each other
		}
	}
}

// mergeAll merges the empty lines in a gap in which all versions have as many comments, whatever their texts: so local's empty
// lines stay beside a comment that upstream changed. It reports whether they have.
func (m *spaceMerger) mergeAll(gaps [4]gapRange) bool {
	var spaces [4][]space
	for i, gap := range gaps {
		if spaces[i] = spacesIn(m.texts[i], gap); len(spaces[i]) < 2 || len(spaces[i]) != len(spaces[0]) {
			return false
		}
	}
	for i, s := range spaces[inResult] {
		count := spaces[inLocal][i].count
		if count == spaces[inOrigin][i].count {
			count = spaces[inUpstream][i].count
		}
		m.set(s, count)
	}
	return true
}

// counterparts returns origin's and upstream's number of empty lines in the result's i-th place of a gap: the place below the upper
// entry, the one above the lower entry, or the one between the same comments. ok is false if upstream put other comments there.
func counterparts(o, u, r []space, i int) (was, is int, ok bool) {
	atO, atU := 0, 0
	switch {
	case i == 0:
		ok = (o[0].after == "") == (u[0].after == "")
	case i == len(r)-1:
		atO, atU = len(o)-1, len(u)-1
		ok = atO > 0 && atU > 0 && o[atO].before == u[atU].before
	default:
		same := func(s space) bool { return s.before == r[i].before && s.after == r[i].after }
		atO, atU = slices.IndexFunc(o, same), slices.IndexFunc(u, same)
		if ok = atO >= 0 && atU >= 0; !ok {
			return 0, 0, false
		}
	}
	return o[atO].count, u[atU].count, ok
}

// SameSpaces reports whether two texts have the same empty lines, between the same lines.
func SameSpaces(a, b []byte) bool {
	return slices.EqualFunc(besideSpaces(a), besideSpaces(b), bytes.Equal)
}

// besideSpaces returns the lines above and below each empty line of a text.
func besideSpaces(text []byte) (beside [][]byte) {
	var last []byte
	wasEmpty := false
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if wasEmpty {
			beside = append(beside, line)
		}
		if wasEmpty = len(line) == 0; wasEmpty {
			beside = append(beside, last)
		}
		last = line
	}
	return beside
}
