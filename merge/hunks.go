package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
)

// piece is a stretch of the sequences: in a merge there is side's of it, or what the sides have
// collides. by are the sides that changed it; where none did, side is local.
type piece struct {
	side    identity.Side
	by      [3]bool
	collide bool
	// from and to are where the sides have it.
	from, to [3]int
}

// chosen is whose stretch is taken, if that of a side is where the sides collide.
func (p piece) chosen(side identity.Side) identity.Side {
	if p.collide {
		return side
	}
	return p.side
}

func (p piece) isChange() bool { return p.by[upstream] || p.by[local] }

// interweave merges sequences by hunks, as git merges lines: hunks with an
// unchanged element between them are both taken, and what both sides did alike is
// taken once. Hunks that touch and differ collide: then clean is false.
//
// Merging again changes nothing, whichever side's of what collides is taken. Where elements
// repeat, nothing tells which of them was added, so two rules see to it: local stays where it
// has all that upstream changed; and hunks that would be found elsewhere in the result collide,
// with what is between them.
func interweave(sequences [3][]int) (merged []piece, clean bool) {
	w := weaver{sequences: sequences}
	w.toUpstream = align.Pairs(sequences[origin], sequences[upstream])
	merged = w.weave(sequences[local])
	for round := 0; ; round++ {
		moved := w.moved(merged)
		if len(moved) == 0 {
			return merged, !slices.ContainsFunc(merged, func(p piece) bool { return p.collide })
		}
		if round == maxRounds {
			moved = []stretch{{0, len(merged)}}
		}
		merged = widened(merged, moved)
	}
}

// maxRounds is how often hunks are made to collide before all of the sequences does.
const maxRounds = 8

// weaver merges sequences. toUpstream pairs origin's elements with upstream's.
type weaver struct {
	sequences  [3][]int
	toUpstream []int
}

// weave merges origin and upstream with some sequence in local's place.
func (w weaver) weave(l []int) []piece {
	s := w.sequences
	s[local] = l
	direct := byHunks(s, w.toUpstream, align.Pairs(s[origin], l))
	if !slices.ContainsFunc(direct, func(p piece) bool { return p.collide || p.side == upstream }) {
		return direct
	}
	// Laid beside upstream, local may turn out to have all that upstream changed.
	beside := slices.Clone(w.toUpstream)
	fromUpstream := align.Pairs(s[upstream], l)
	for i, j := range beside {
		if j >= 0 {
			beside[i] = fromUpstream[j]
		}
	}
	through := byHunks(s, w.toUpstream, beside)
	for _, p := range through {
		if p.side == upstream || p.collide && !slices.Contains(direct, p) {
			return direct
		}
	}
	return through
}

// moved are the pieces of a merge that merging its result again would change, as stretches of
// the pieces' indexes.
func (w weaver) moved(merged []piece) (out []stretch) {
	for _, side := range [2]identity.Side{upstream, local} {
		result := resolved(w.sequences, merged, side)
		if slices.Equal(result, w.sequences[side]) {
			continue // merging it again is merging two sides that are alike, or the same once more
		}
		s := w.sequences
		s[local] = result
		for _, p := range w.weave(result) {
			from, to := p.from[local], p.to[local]
			if by := p.chosen(side); !slices.Equal(s[by][p.from[by]:p.to[by]], result[from:to]) {
				out = append(out, piecesAt(merged, side, from, to))
			}
		}
	}
	slices.SortFunc(out, func(a, b stretch) int { return a.lo - b.lo })
	return out
}

// resolved is what sequences merge to, with one side's of what collides.
func resolved(sequences [3][]int, merged []piece, side identity.Side) (out []int) {
	for _, p := range merged {
		by := p.chosen(side)
		out = append(out, sequences[by][p.from[by]:p.to[by]]...)
	}
	return out
}

// stretch is some elements of a sequence, by their indexes.
type stretch struct{ lo, hi int }

// piecesAt are the pieces that touch some of what a merge comes to, and as many more as it takes
// to have changes of both sides that do not collide as one already.
func piecesAt(merged []piece, side identity.Side, from, to int) stretch {
	at, s := 0, stretch{len(merged), 0}
	for i, p := range merged {
		by := p.chosen(side)
		end := at + p.to[by] - p.from[by]
		if at <= to && end >= from {
			s = stretch{min(s.lo, i), i + 1}
		}
		at = end
	}
	for s.hi-s.lo < len(merged) && !mayCollide(merged[s.lo:s.hi]) {
		s = stretch{max(s.lo-1, 0), min(s.hi+1, len(merged))}
	}
	for s.hi-s.lo > 1 && !merged[s.lo].isChange() {
		s.lo++
	}
	for s.hi-s.lo > 1 && !merged[s.hi-1].isChange() {
		s.hi--
	}
	return s
}

// mayCollide reports whether pieces have changes of both sides that do not collide as one.
func mayCollide(pieces []piece) bool {
	changed, by := 0, [3]bool{}
	for _, p := range pieces {
		if p.isChange() {
			changed++
		}
		by[upstream], by[local] = by[upstream] || p.by[upstream], by[local] || p.by[local]
	}
	return by[upstream] && by[local] && (changed > 1 || !slices.ContainsFunc(pieces, func(p piece) bool { return p.collide }))
}

// widened makes stretches of a merge's pieces collide.
func widened(merged []piece, stretches []stretch) (out []piece) {
	at := 0
	for len(stretches) > 0 {
		s := stretches[0]
		for stretches = stretches[1:]; len(stretches) > 0 && stretches[0].lo < s.hi; stretches = stretches[1:] {
			s.hi = max(s.hi, stretches[0].hi)
		}
		out = append(out, merged[at:s.lo]...)
		out = append(out, piece{by: [3]bool{upstream: true, local: true}, collide: true, from: merged[s.lo].from, to: merged[s.hi-1].to})
		at = s.hi
	}
	return append(out, merged[at:]...)
}

// byHunks merges sequences by the hunks that two alignments of origin's leave.
func byHunks(sequences [3][]int, toUpstream, toLocal []int) (merged []piece) {
	hunks := [3][]align.Hunk{upstream: align.Hunks(toUpstream, len(sequences[upstream])), local: align.Hunks(toLocal, len(sequences[local]))}
	at := [3]int{} // what is done of each sequence
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

// group is a stretch of origin's sequence with hunks of either side that touch,
// and by how much each side's is longer.
type group struct {
	lo, hi int
	by     [3]bool
	growth [3]int
}

// nextGroup takes the first hunk, and those that touch it.
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
