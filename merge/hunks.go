package merge

import (
	"slices"
	"sort"

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
// taken, and equal changes of both sides are taken once. Other hunks collide: then clean is false.
//
// Merging the result again changes nothing, whichever side wins the collisions. Of repeated elements, it is unknown
// which one was added, so two rules ensure this: local stays if it has all of upstream's changes; and hunks whose
// position in the result is ambiguous collide, with everything between them.
func mergeSequences(sequences [3][]int) (merged []piece, clean bool) {
	m := sequenceMerger{sequences: sequences, toUpstream: align.Pairs(sequences[origin], sequences[upstream]), inUpstream: map[int]bool{}}
	for _, id := range sequences[upstream] {
		m.inUpstream[id] = true
	}
	merged = m.merge(sequences[local])
	for round := 0; ; round++ {
		unstable := m.unstable(merged)
		if len(unstable) == 0 {
			return merged, !slices.ContainsFunc(merged, func(p piece) bool { return p.collide })
		}
		if round == maxRounds {
			unstable = []span{{0, len(merged)}}
		}
		merged = collided(merged, unstable)
	}
}

// maxRounds limits the search for a stable merge; after that, the whole sequences collide.
const maxRounds = 8

// sequenceMerger merges sequences. toUpstream pairs origin's elements with upstream's, and inUpstream has upstream's.
type sequenceMerger struct {
	sequences  [3][]int
	toUpstream []int
	inUpstream map[int]bool
}

// merge merges origin and upstream with a sequence in local's place.
func (m sequenceMerger) merge(l []int) []piece {
	s := m.sequences
	s[local] = l
	kept := align.Pairs(s[origin], l)
	direct := mergeHunks(s, m.toUpstream, kept)
	if !slices.ContainsFunc(direct, func(p piece) bool { return p.collide || p.side == upstream }) {
		return direct
	}
	// Aligned with upstream, local may turn out to have all of upstream's changes.
	toLocal := slices.Clone(m.toUpstream)
	fromUpstream := align.Pairs(s[upstream], l)
	for i, j := range toLocal {
		if j >= 0 {
			toLocal[i] = fromUpstream[j]
		}
	}
	through := mergeHunks(s, m.toUpstream, toLocal)
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
		if m.toUpstream[i] < 0 && kept[i] >= 0 && !m.inUpstream[m.sequences[origin][i]] {
			return true
		}
	}
	return false
}

// unstable returns the spans of pieces that merging the result again would change.
func (m sequenceMerger) unstable(merged []piece) (out []span) {
	for _, side := range [2]identity.Side{upstream, local} {
		result := resolved(m.sequences, merged, side)
		if slices.Equal(result, m.sequences[side]) {
			continue // two equal sides, or the same merge once more
		}
		s, spans := m.sequences, newSpanFinder(merged, side)
		s[local] = result
		for _, p := range m.merge(result) {
			from, to := p.from[local], p.to[local]
			if by := p.chosen(side); !slices.Equal(s[by][p.from[by]:p.to[by]], result[from:to]) {
				out = append(out, spans.at(from, to))
			}
		}
	}
	slices.SortFunc(out, func(a, b span) int { return a.lo - b.lo })
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

// spanFinder finds the pieces at a part of the merged sequence.
type spanFinder struct {
	merged []piece
	ends   []int // of the pieces, in the merged sequence in which one side wins the collisions
	// changes, collisions and by count the pieces before an index: changes, collisions, and the changes of each side.
	changes, collisions []int
	by                  [3][]int
}

func newSpanFinder(merged []piece, side identity.Side) spanFinder {
	f, end := spanFinder{merged: merged, changes: []int{0}, collisions: []int{0}, by: [3][]int{{0}, {0}, {0}}}, 0
	count := func(counts *[]int, counted bool) {
		n := (*counts)[len(*counts)-1]
		if counted {
			n++
		}
		*counts = append(*counts, n)
	}
	for _, p := range merged {
		by := p.chosen(side)
		end += p.to[by] - p.from[by]
		f.ends = append(f.ends, end)
		count(&f.changes, p.isChange())
		count(&f.collisions, p.collide)
		for s, by := range p.by {
			count(&f.by[s], by)
		}
	}
	return f
}

// at returns the pieces at a part of the merged sequence, extended until they have changes of both sides that are not
// one collision already.
func (f spanFinder) at(from, to int) span {
	first, _ := slices.BinarySearch(f.ends, from)
	last, _ := slices.BinarySearch(f.ends, to+1) // it begins at to, or before
	s := span{first, min(last+1, len(f.merged))}
	wider := func(n int) span { return span{max(s.lo-n, 0), min(s.hi+n, len(f.merged))} }
	s = wider(sort.Search(len(f.merged), func(n int) bool { return f.mayCollide(wider(n)) }))
	for s.hi-s.lo > 1 && !f.merged[s.lo].isChange() {
		s.lo++
	}
	for s.hi-s.lo > 1 && !f.merged[s.hi-1].isChange() {
		s.hi--
	}
	return s
}

// mayCollide reports whether pieces have changes of both sides that are not one collision already.
func (f spanFinder) mayCollide(s span) bool {
	count := func(counts []int) int { return counts[s.hi] - counts[s.lo] }
	return count(f.by[upstream]) > 0 && count(f.by[local]) > 0 && (count(f.changes) > 1 || count(f.collisions) == 0)
}

// collided merges the pieces of each span into a collision.
func collided(merged []piece, spans []span) (out []piece) {
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

// mergeHunks merges sequences by the hunks of two alignments with origin's.
func mergeHunks(sequences [3][]int, toUpstream, toLocal []int) (merged []piece) {
	hunks := [3][]align.Hunk{upstream: align.Hunks(toUpstream, len(sequences[upstream])), local: align.Hunks(toLocal, len(sequences[local]))}
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
		u, l := sequences[upstream][at[upstream]:ends[upstream]], sequences[local][at[local]:ends[local]]
		switch {
		case !g.by[local]:
			p.side = upstream
		case g.by[upstream] && !slices.Equal(u, l):
			p.side, p.collide = 0, true
		}
		merged = append(merged, p)
		at = ends
	}
	end := [3]int{len(sequences[origin]), len(sequences[upstream]), len(sequences[local])}
	return append(merged, piece{side: local, from: at, to: end})
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
