// Package align finds what two sequences have in common.
package align

import (
	"cmp"
	"slices"
)

// Pairs pairs the elements of two sequences as a diff does, in the order of
// both: for each element of a the index of its counterpart in b, or -1. Equal
// numbers are equal elements.
//
// Elements that each sequence has once are anchors, and what lies between two of
// them is aligned by itself; where there are none, as few elements as can be are
// left out. The work is near-linear: where it would be more, what is between two
// anchors is left without counterparts.
func Pairs(a, b []int) []int {
	x := aligner{a: a, b: b, match: make([]int, len(a)), budget: 64*(len(a)+len(b)) + 1<<16}
	for i := range x.match {
		x.match[i] = -1
	}
	x.block(block{0, len(a), 0, len(b)}, 0)
	return x.match
}

// maxAnchorDepth is how often a block is divided by anchors.
const maxAnchorDepth = 32

func (x *aligner) block(r block, depth int) {
	for r.aLo < r.aHi && r.bLo < r.bHi && x.a[r.aLo] == x.b[r.bLo] {
		x.match[r.aLo] = r.bLo
		r.aLo, r.bLo = r.aLo+1, r.bLo+1
	}
	for r.aLo < r.aHi && r.bLo < r.bHi && x.a[r.aHi-1] == x.b[r.bHi-1] {
		r.aHi, r.bHi = r.aHi-1, r.bHi-1
		x.match[r.aHi] = r.bHi
	}
	if r.aLo == r.aHi || r.bLo == r.bHi {
		return
	}
	anchors := longestRise(x.anchors(r))
	if len(anchors) == 0 || depth == maxAnchorDepth {
		x.fewest(r)
		return
	}
	for _, at := range anchors {
		x.match[at.a] = at.b
		x.block(block{r.aLo, at.a, r.bLo, at.b}, depth+1)
		r.aLo, r.bLo = at.a+1, at.b+1
	}
	x.block(r, depth+1)
}

// pair is an element of a and its counterpart in b.
type pair struct{ a, b int }

// anchors are the elements that both sequences have once in a block, in the
// order of a.
func (x *aligner) anchors(r block) []pair {
	type seen struct{ inA, inB, b int }
	all := make(map[int]seen, r.aHi-r.aLo)
	for _, id := range x.a[r.aLo:r.aHi] {
		s := all[id]
		s.inA++
		all[id] = s
	}
	for i, id := range x.b[r.bLo:r.bHi] {
		if s, found := all[id]; found {
			s.inB++
			s.b = r.bLo + i
			all[id] = s
		}
	}
	var out []pair
	for i := r.aLo; i < r.aHi; i++ {
		if s := all[x.a[i]]; s.inA == 1 && s.inB == 1 {
			out = append(out, pair{i, s.b})
		}
	}
	return out
}

// longestRise is the longest choice of pairs that are in the order of b too.
func longestRise(pairs []pair) []pair {
	var ends []int // ends[n] is the pair with the least b that ends a rise of n+1 pairs
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p.b, func(end, b int) int { return cmp.Compare(pairs[end].b, b) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]pair, len(ends))
	for n, i := len(ends)-1, last(ends); n >= 0; n, i = n-1, before[i] {
		out[n] = pairs[i]
	}
	return out
}

func last(ends []int) int {
	if len(ends) == 0 {
		return -1
	}
	return ends[len(ends)-1]
}
