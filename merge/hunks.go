package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
)

// hunk is a stretch of origin's sequence, and what a side has in its place.
type hunk struct{ aLo, aHi, bLo, bHi int }

// hunksOf are the changes that an alignment of sequences leaves, the second of
// which has length n. Between two of them lies an element that did not change.
func hunksOf(match []int, n int) []hunk {
	var out []hunk
	at := hunk{}
	for i, j := range append(slices.Clip(match), n) {
		if j < 0 {
			continue
		}
		at.aHi, at.bHi = i, j
		if at.aLo < at.aHi || at.bLo < at.bHi {
			out = append(out, at)
		}
		at.aLo, at.bLo = i+1, j+1
	}
	return out
}

// piece is a stretch of a side's sequence, or of all where they collide.
type piece struct {
	side    identity.Side
	lo, hi  int
	collide bool
	// los and his are the stretches of the sides where they collide.
	los, his [3]int
}

// interweave merges sequences by hunks, as git merges lines: hunks with an
// unchanged element between them are both taken, and what both sides did alike is
// taken once. Hunks that touch and differ collide: then clean is false.
func interweave(sequences [3][]int) (merged []piece, clean bool) {
	clean = true
	var hunks [3][]hunk
	for _, side := range [2]identity.Side{upstream, local} {
		hunks[side] = hunksOf(align.Pairs(sequences[origin], sequences[side]), len(sequences[side]))
	}
	at := [3]int{} // what is done of each sequence
	for len(hunks[upstream])+len(hunks[local]) > 0 {
		g := nextGroup(&hunks)
		merged = append(merged, piece{side: local, lo: at[local], hi: at[local] + g.lo - at[origin]})
		ends := [3]int{origin: g.hi}
		for _, side := range [2]identity.Side{upstream, local} {
			at[side] += g.lo - at[origin]
			ends[side] = at[side] + g.hi - g.lo + g.growth[side]
		}
		u, l := sequences[upstream][at[upstream]:ends[upstream]], sequences[local][at[local]:ends[local]]
		switch {
		case !g.by[local]:
			merged = append(merged, piece{side: upstream, lo: at[upstream], hi: ends[upstream]})
		case !g.by[upstream] || slices.Equal(u, l):
			merged = append(merged, piece{side: local, lo: at[local], hi: ends[local]})
		default:
			clean = false
			merged = append(merged, piece{collide: true, los: [3]int{g.lo, at[upstream], at[local]}, his: ends})
		}
		at = ends
	}
	return append(merged, piece{side: local, lo: at[local], hi: len(sequences[local])}), clean
}

// group is a stretch of origin's sequence with hunks of either side that touch,
// and by how much each side's is longer.
type group struct {
	lo, hi int
	by     [3]bool
	growth [3]int
}

// nextGroup takes the first hunk, and those that touch it.
func nextGroup(hunks *[3][]hunk) group {
	lo := -1
	for _, h := range hunks {
		if len(h) > 0 && (lo < 0 || h[0].aLo < lo) {
			lo = h[0].aLo
		}
	}
	g := group{lo: lo, hi: lo}
	for grown := true; grown; {
		grown = false
		for _, side := range [2]identity.Side{upstream, local} {
			if len(hunks[side]) > 0 && hunks[side][0].aLo <= g.hi {
				h := hunks[side][0]
				hunks[side] = hunks[side][1:]
				g.hi, g.by[side], grown = max(g.hi, h.aHi), true, true
				g.growth[side] += h.bHi - h.bLo - (h.aHi - h.aLo)
			}
		}
	}
	return g
}
