package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
)

// piece is a run of merged sequences: side's version of it, or a collision. by has the sides that changed it; if none
// did, side is local.
type piece struct {
	side    identity.Side
	by      [3]bool
	collide bool
	// from and to delimit each side's version.
	from, to [3]int
}

// chosen returns the side whose version is taken, if a side wins collisions.
func (p piece) chosen(side identity.Side) identity.Side {
	if p.collide {
		return side
	}
	return p.side
}

func (p piece) isChange() bool { return p.by[upstream] || p.by[local] }

// mergeSequences merges sequences by hunks, as git merges lines: hunks with an unchanged element between them are both
// taken, and equal changes of both sides are taken once, as the longer one if it has all of the other in its order. Other
// hunks collide: then clean is false.
//
// The result has no element more often than a side because both sides added it (rules/laws: added once), and merging the
// result again changes nothing, whichever side wins the collisions. Of repeated elements, it is unknown which one was
// added, so three rules ensure this: a hunk has one place of those where it may stand; local stays if it has all of
// upstream's changes; and hunks that add an element twice collide, with everything between them. If merging again would
// change the result all the same, the whole sequences collide.
//
// isFiller reports whether an element says nothing by itself, such as an empty line: it may come out more often. It is
// nil if each element says something.
func mergeSequences(sequences [3][]int, isFiller func(id int) bool) (merged []piece, clean bool) {
	m := sequenceMerger{sequences: sequences, isFiller: isFiller, toUpstream: slidPairs(sequences[origin], sequences[upstream])}
	for side, sequence := range sequences {
		m.counts[side] = counted(sequence)
	}
	merged = m.merge()
	if !m.isStable(merged) {
		merged = collided(merged, []span{{0, len(merged)}})
	}
	return merged, !slices.ContainsFunc(merged, func(p piece) bool { return p.collide })
}

// sequenceMerger merges sequences.
type sequenceMerger struct {
	sequences [3][]int
	isFiller  func(id int) bool
	// toUpstream pairs origin's elements with upstream's, and counts has how often each side has an element.
	toUpstream []int
	counts     [3]map[int]int
}

// counted counts the elements of a sequence.
func counted(sequence []int) map[int]int {
	counts := make(map[int]int, len(sequence))
	for _, id := range sequence {
		counts[id]++
	}
	return counts
}

// withLocal returns the merger with another sequence in local's place.
func (m sequenceMerger) withLocal(sequence []int) sequenceMerger {
	m.sequences[local], m.counts[local] = sequence, counted(sequence)
	return m
}

// slidPairs pairs the elements of two sequences so that each run that one of them adds has one place.
func slidPairs(a, b []int) []int {
	match := align.Pairs(a, b)
	align.Slide(match, a, b)
	return match
}

// isNew reports whether both sides added an element that origin lacks.
func (m sequenceMerger) isNew(id int) bool {
	return m.counts[origin][id] == 0 && m.counts[upstream][id] > 0 && m.counts[local][id] > 0 && !m.isFillerElement(id)
}

func (m sequenceMerger) isFillerElement(id int) bool { return m.isFiller != nil && m.isFiller(id) }

// most returns how often the side has an element that has it more often.
func (m sequenceMerger) most(id int) int { return max(m.counts[upstream][id], m.counts[local][id]) }

// merge merges the sequences by hunks. What both sides added in two places collides, with everything between.
func (m sequenceMerger) merge() []piece {
	merged := m.aligned()
	if spans := m.repeated(merged); len(spans) > 0 {
		return collided(merged, spans)
	}
	return merged
}

// aligned merges the sequences by hunks.
func (m sequenceMerger) aligned() []piece {
	s := m.sequences
	kept := slidPairs(s[origin], s[local])
	direct := m.mergeHunks(kept, true)
	if !slices.ContainsFunc(direct, func(p piece) bool { return p.collide || p.side == upstream }) {
		return direct
	}
	// Aligned with upstream, local may turn out to have all of upstream's changes.
	toLocal := slices.Clone(m.toUpstream)
	fromUpstream := slidPairs(s[upstream], s[local])
	for i, j := range toLocal {
		if j >= 0 {
			toLocal[i] = fromUpstream[j]
		}
	}
	through := m.mergeHunks(toLocal, false)
	collisions := map[piece]bool{}
	for _, p := range direct {
		if p.collide {
			collisions[p] = true
		}
	}
	if slices.ContainsFunc(through, func(p piece) bool {
		return p.side == upstream || p.collide && !collisions[p] || !p.collide && m.keepsRemoved(p, kept)
	}) {
		return direct
	}
	return through
}

// keepsRemoved reports whether local kept an element of a piece of origin's that upstream removed and has nowhere else.
// Aligned with upstream, it looks like an addition of local's.
func (m sequenceMerger) keepsRemoved(p piece, kept []int) bool {
	for i := p.from[origin]; i < p.to[origin]; i++ {
		if m.toUpstream[i] < 0 && kept[i] >= 0 && m.counts[upstream][m.sequences[origin][i]] == 0 {
			return true
		}
	}
	return false
}

// isStable reports whether merging the result again would change nothing.
func (m sequenceMerger) isStable(merged []piece) bool {
	for _, side := range [2]identity.Side{upstream, local} {
		result := resolved(m.sequences, merged, side)
		if slices.Equal(result, m.sequences[side]) {
			continue // two equal sides, or the same merge once more
		}
		if again := m.withLocal(result); !slices.Equal(resolved(again.sequences, again.merge(), side), result) {
			return false
		}
	}
	return true
}

// repeated returns the spans between the pieces that would bring an element twice because both sides added it in different
// places, whichever side wins the collisions. If some elements are filler, the sequences are texts, in which both sides may
// replace lines by equal ones, and two additions may have a line in common: half of one of them has to come twice.
func (m sequenceMerger) repeated(merged []piece) (out []span) {
	twice := m.twice(merged)
	if len(twice) == 0 {
		return nil
	}
	type addition struct {
		span
		by            [3]bool
		isMost, grows bool
	}
	found := map[int]*addition{} // by element
	for i, p := range merged {
		for _, side := range [2]identity.Side{upstream, local} {
			added := m.sequences[side][p.from[side]:p.to[side]]
			if !p.isChange() {
				continue
			}
			grows := m.isFiller == nil || p.collide || len(added) > p.to[origin]-p.from[origin]
			again, words := 0, 0
			for _, id := range added {
				if twice[id] {
					again++
				}
				if !m.isFillerElement(id) {
					words++
				}
			}
			for _, id := range added {
				if !twice[id] {
					continue
				}
				if found[id] == nil {
					found[id] = &addition{span: span{lo: i}}
				}
				a := found[id]
				a.hi, a.by[side], a.isMost, a.grows = i+1, true, a.isMost || m.isFiller == nil || 2*again >= words, a.grows || grows
			}
		}
	}
	for _, a := range found {
		if a.by[upstream] && a.by[local] && a.isMost && a.grows && a.hi > a.lo+1 {
			out = append(out, a.span)
		}
	}
	return out
}

// twice returns the new elements that the result has more often than each side.
func (m sequenceMerger) twice(merged []piece) map[int]bool {
	out := map[int]bool{}
	for _, side := range [2]identity.Side{upstream, local} {
		has := map[int]int{}
		for _, id := range resolved(m.sequences, merged, side) {
			has[id]++
			if has[id] > m.most(id) && m.isNew(id) {
				out[id] = true
			}
		}
	}
	return out
}

// resolved returns the merged sequence in which one side wins the collisions.
func resolved(sequences [3][]int, merged []piece, side identity.Side) (out []int) {
	for _, p := range merged {
		by := p.chosen(side)
		out = append(out, sequences[by][p.from[by]:p.to[by]]...)
	}
	return out
}

// span is a range of a slice, by indices.
type span struct{ lo, hi int }

// collided merges the pieces of each span into a collision.
func collided(merged []piece, spans []span) (out []piece) {
	slices.SortFunc(spans, func(a, b span) int { return a.lo - b.lo })
	at := 0
	for len(spans) > 0 {
		s := spans[0]
		for spans = spans[1:]; len(spans) > 0 && spans[0].lo < s.hi; spans = spans[1:] {
			s.hi = max(s.hi, spans[0].hi)
		}
		out = append(out, merged[at:s.lo]...)
		out = append(out, piece{by: [3]bool{upstream: true, local: true}, collide: true, from: merged[s.lo].from, to: merged[s.hi-1].to})
		at = s.hi
	}
	return append(out, merged[at:]...)
}

// mergeHunks merges the sequences by hunks, where toLocal pairs origin's elements with local's. It may take the longer one
// of two hunks.
func (m sequenceMerger) mergeHunks(toLocal []int, takesLonger bool) (merged []piece) {
	sequences := m.sequences
	hunks := [3][]align.Hunk{upstream: align.Hunks(m.toUpstream, len(sequences[upstream])), local: align.Hunks(toLocal, len(sequences[local]))}
	at := [3]int{} // the merged part of each sequence
	for len(hunks[upstream])+len(hunks[local]) > 0 {
		g := nextGroup(&hunks)
		same, ends := at, [3]int{}
		for side := range at {
			at[side] += g.lo - same[origin]
			ends[side] = at[side] + g.hi - g.lo + g.growth[side]
		}
		merged = append(merged, piece{side: local, from: same, to: at})
		p := piece{side: local, by: g.by, from: at, to: ends}
		o, u, l := sequences[origin][at[origin]:ends[origin]], sequences[upstream][at[upstream]:ends[upstream]], sequences[local][at[local]:ends[local]]
		switch {
		case !g.by[local], g.by[upstream] && takesLonger && m.extends(u, l, o):
			p.side = upstream
		case g.by[upstream] && !slices.Equal(u, l) && !(takesLonger && m.extends(l, u, o)):
			p.side, p.collide = 0, true
		}
		merged = append(merged, p)
		at = ends
	}
	end := [3]int{len(sequences[origin]), len(sequences[upstream]), len(sequences[local])}
	return append(merged, piece{side: local, from: at, to: end})
}

// extends reports whether a change has all elements of another change in its order, and more, but none that the other
// removed from origin: then it is that change and more, such as one that was copied to a release branch before (rules/laws:
// added without an origin). An element that both sides added must say that they are one.
func (m sequenceMerger) extends(long, short, removed []int) bool {
	if len(short) >= len(long) || !slices.ContainsFunc(short, m.isNew) {
		return false
	}
	at, was := 0, counted(removed)
	for _, id := range long {
		switch {
		case was[id] > 0:
			return false
		case at < len(short) && id == short[at]:
			at++
		}
	}
	return at == len(short)
}

// group is a run of origin's sequence with adjacent hunks of either side; growth is the number of elements that each
// side adds to its length.
type group struct {
	lo, hi int
	by     [3]bool
	growth [3]int
}

// nextGroup takes the first hunk, and the hunks that touch it.
func nextGroup(hunks *[3][]align.Hunk) group {
	lo := -1
	for _, h := range hunks {
		if len(h) > 0 && (lo < 0 || h[0].ALo < lo) {
			lo = h[0].ALo
		}
	}
	g := group{lo: lo, hi: lo}
	for grown := true; grown; {
		grown = false
		for _, side := range [2]identity.Side{upstream, local} {
			if len(hunks[side]) > 0 && hunks[side][0].ALo <= g.hi {
				h := hunks[side][0]
				hunks[side] = hunks[side][1:]
				g.hi, g.by[side], grown = max(g.hi, h.AHi), true, true
				g.growth[side] += h.BHi - h.BLo - (h.AHi - h.ALo)
			}
		}
	}
	return g
}

// isFaithful reports whether a merged list has each element as often as the changes of the sides require
// (rules/lists: lists without keys). An element occurs too often if both sides added it in two positions, and too
// often or too seldom if one side moved an element that the other removed. If hunks collide and chosen's were taken,
// an element that the other side has as often as origin must occur as often as in chosen's list.
func isFaithful(ids [3][]int, merged []int, clean bool, chosen identity.Side) bool {
	counts := map[int]*[4]int{} // by side, and last in the merged list
	for side, list := range [4][]int{ids[0], ids[1], ids[2], merged} {
		for _, id := range list {
			if counts[id] == nil {
				counts[id] = &[4]int{}
			}
			counts[id][side]++
		}
	}
	for _, n := range counts {
		most, has := max(n[origin], n[upstream], n[local]), n[3]
		if has > 1 && has > most && (most == 1 || n[origin] == 0) {
			return false
		}
		for _, side := range [2]identity.Side{upstream, local} {
			if (clean || side == chosen) && n[otherSide(side)] == n[origin] && has != n[side] {
				return false
			}
		}
	}
	return true
}
