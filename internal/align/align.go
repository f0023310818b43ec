// Package align aligns two sequences, and finds the position of elements that one adds to the other: right after the
// nearest preceding sibling (rules/placement: added resources; rules/lists: order).
package align

import (
	"cmp"
	"slices"
)

// Pairs pairs the elements of two sequences as a diff does, in the order of both: for each element of a it returns
// the index of its counterpart in b, or -1. Equal numbers are equal elements.
//
// Elements that occur once in each sequence are anchors, and the parts between two anchors are aligned separately. A
// part without anchors gets as many pairs as possible. The work is near-linear: a part that would need more gets no
// pairs.
func Pairs(a, b []int) []int {
	return newAligner(a, b).pairs()
}

func newAligner(a, b []int) *aligner {
	a, b, most := dense(a, b)
	return &aligner{a: a, b: b, match: slices.Repeat([]int{-1}, len(a)), seen: make([]seen, most), budget: budget(len(a) + len(b))}
}

// budget returns the number of steps for the search for the fewest changes in sequences with this many elements.
func budget(elements int) int { return 64*elements + 1<<16 }

// dense returns sequences with the same equalities as a and b, and with numbers from 0 to most-1.
func dense(a, b []int) (denseA, denseB []int, most int) {
	for _, ids := range [2][]int{a, b} {
		for _, id := range ids {
			if most = max(most, id+1); id < 0 || id > 2*(len(a)+len(b)) {
				return renumbered(a, b)
			}
		}
	}
	return a, b, most
}

// renumbered returns sequences with numbers in the order of their first occurrence.
func renumbered[T comparable](a, b []T) (idsA, idsB []int, most int) {
	index := make(map[T]int, len(a))
	number := func(all []T) []int {
		ids := make([]int, len(all))
		for i, one := range all {
			id, found := index[one]
			if !found {
				id = len(index)
				index[one] = id
			}
			ids[i] = id
		}
		return ids
	}
	idsA, idsB = number(a), number(b)
	return idsA, idsB, len(index)
}

func (x *aligner) pairs() []int {
	x.block(block{0, len(x.a), 0, len(x.b)}, 0)
	return x.match
}

// maxAnchorDepth limits the number of times that a block is divided by anchors.
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

// pair has the indices of an element of a and of its counterpart in b.
type pair struct{ a, b int }

// anchors returns the elements that occur once in each sequence of a block, in the order of a.
func (x *aligner) anchors(r block) []pair {
	for _, id := range x.b[r.bLo:r.bHi] {
		x.seen[id] = seen{}
	}
	for _, id := range x.a[r.aLo:r.aHi] {
		x.seen[id] = seen{}
	}
	for _, id := range x.a[r.aLo:r.aHi] {
		x.seen[id].inA++
	}
	for i, id := range x.b[r.bLo:r.bHi] {
		x.seen[id].inB++
		x.seen[id].b = r.bLo + i
	}
	var out []pair
	for i := r.aLo; i < r.aHi; i++ {
		if s := x.seen[x.a[i]]; s.inA == 1 && s.inB == 1 {
			out = append(out, pair{i, s.b})
		}
	}
	return out
}

// longestRise returns the longest selection of pairs that are in the order of b too.
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

// maxEdits limits the elements without a counterpart in the search for the fewest: its memory grows with their square.
const maxEdits = 1000

// fewest aligns a block with the fewest elements without a counterpart, by Myers' greedy algorithm. If that takes
// more than the budget, or more than maxEdits, the block gets no pairs.
func (x *aligner) fewest(r block) {
	n, m := r.aHi-r.aLo, r.bHi-r.bLo
	most := min(n+m, maxEdits)
	reach := make([]int, 2*most+3) // by diagonal: the furthest index in a
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), reach[most+1-d:most+2+d]...))
		for k := -d; k <= d; k += 2 {
			at := most + 1 + k
			i := reach[at-1] + 1
			if k == -d || k != d && reach[at-1] < reach[at+1] {
				i = reach[at+1]
			}
			start := i
			for i < n && i-k < m && i-k >= 0 && x.a[r.aLo+i] == x.b[r.bLo+i-k] {
				i++
			}
			reach[at] = i
			if x.budget -= i - start + 1; x.budget < 0 {
				return
			}
			if k == n-m && i >= n {
				x.walkBack(r, trace, k)
				return
			}
		}
	}
}

// walkBack pairs the elements on the path of the search, from its end on diagonal k back. trace has the furthest
// indices before each round.
func (x *aligner) walkBack(r block, trace [][]int, k int) {
	i := r.aHi - r.aLo
	for d := len(trace) - 1; d >= 0; d-- {
		reach := func(k int) int { return trace[d][k+d] }
		from, start := k, 0
		switch {
		case d == 0:
		case k == -d || k != d && reach(k-1) < reach(k+1):
			from, start = k+1, reach(k+1)
		default:
			from, start = k-1, reach(k-1)+1
		}
		for ; i > start; i-- {
			x.match[r.aLo+i-1] = r.bLo + i - 1 - k
		}
		if from < k {
			i-- // the element without a counterpart
		}
		k = from
	}
}

type aligner struct {
	a, b, match []int
	seen        []seen // by element, for the last block with anchors counted
	budget      int    // steps that the search for the fewest changes may take
}

// seen has the numbers of times that an element occurs in a block of each sequence, and its last index in b.
type seen struct{ inA, inB, b int }

// block is a stretch of either sequence.
type block struct{ aLo, aHi, bLo, bHi int }

// Lines is Pairs for the lines of two texts, or other parts of them.
func Lines(a, b []string) []int {
	head, most := 0, min(len(a), len(b))
	for head < most && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < most-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	middleA, middleB, _ := renumbered(a[head:len(a)-tail], b[head:len(b)-tail])
	x := newAligner(middleA, middleB)
	x.budget = budget(len(a) + len(b))
	match := make([]int, len(a))
	for i, j := range x.pairs() {
		if match[head+i] = j; j >= 0 {
			match[head+i] += head
		}
	}
	for i := range head {
		match[i] = i
	}
	for i := 1; i <= tail; i++ {
		match[len(a)-i] = len(b) - i
	}
	return match
}

// Slide moves each run of elements that only one of two sequences has to the last place where it may stand, in a result of
// Pairs for them, as git does with added and removed lines: X, "" after A, "" is the same addition as "", X after A. So one
// addition has one place, whatever a diff found first. A run that meets another one becomes a part of it, and a run of
// elements that stand in the place of others stays.
func Slide(match, a, b []int) {
	back := make([]int, len(b)) // the pairs, seen from b
	for j := range back {
		back[j] = -1
	}
	for i, j := range match {
		if j >= 0 {
			back[j] = i
		}
	}
	hunks := Hunks(match, len(b))
	for _, h := range slices.Backward(hunks) {
		switch {
		case h.ALo == h.AHi:
			slide(back, match, b, a, h.BLo, h.AHi)
		case h.BLo == h.BHi:
			slide(match, back, a, b, h.ALo, h.BHi)
		}
	}
}

// slide moves the elements from lo on that other lacks towards the end of a sequence; the next element of other is at.
// pairs are the sequence's with other, and back is the same seen from other.
func slide(pairs, back, sequence, other []int, lo, at int) {
	for at < len(other) && back[at] >= 0 && sequence[lo] == other[at] {
		pairs[back[at]], pairs[lo], back[at] = -1, at, lo
		lo, at = lo+1, at+1
	}
}

// Count counts the pairs in a result of Pairs.
func Count(match []int) (n int) {
	for _, at := range match {
		if at >= 0 {
			n++
		}
	}
	return n
}

// Hunk is a stretch of one sequence, and the stretch of another one in its place. Either may be empty.
type Hunk struct{ ALo, AHi, BLo, BHi int }

// Hunks returns the changes between two sequences with the result of Pairs; the second one has length n. At least one
// common element is between two changes.
func Hunks(match []int, n int) (out []Hunk) {
	at := Hunk{}
	for i, j := range append(slices.Clip(match), n) {
		if j < 0 {
			continue
		}
		at.AHi, at.BHi = i, j
		if at.ALo < at.AHi || at.BLo < at.BHi {
			out = append(out, at)
		}
		at.ALo, at.BLo = i+1, j+1
	}
	return out
}

// maxCompared limits the pairs of elements that Compared compares, apart from those at the ends.
const maxCompared = 250_000

// Compared is Pairs for two sequences of lengths n and m whose elements can only be compared. Equal elements at the
// ends are pairs, and as many others as possible in order; none if that takes too many comparisons.
func Compared(n, m int, equal func(i, j int) bool) []int {
	match := make([]int, n)
	for i := range match {
		match[i] = -1
	}
	low := 0
	for low < n && low < m && equal(low, low) {
		match[low] = low
		low++
	}
	for n > low && m > low && equal(n-1, m-1) {
		n, m = n-1, m-1
		match[n] = m
	}
	if (n-low)*(m-low) <= maxCompared {
		longest(match, low, n, m, equal)
	}
	return match
}

// longest pairs the elements from low to n of one sequence with those from low to m of another: as many equal ones as
// possible in order.
func longest(match []int, low, n, m int, equal func(i, j int) bool) {
	width := m - low + 1
	best := make([]int, (n-low+1)*width)
	for i := n - 1; i >= low; i-- {
		for j := m - 1; j >= low; j-- {
			here := (i-low)*width + j - low
			if equal(i, j) {
				best[here] = best[here+width+1] + 1
			} else {
				best[here] = max(best[here+1], best[here+width])
			}
		}
	}
	for i, j := low, low; i < n && j < m; {
		here := (i-low)*width + j - low
		switch {
		case equal(i, j):
			match[i] = j
			i, j = i+1, j+1
		case best[here+1] >= best[here+width]:
			j++
		default:
			i++
		}
	}
}

// Place returns the elements of other that are not in the result, in their order: after has them by the preceding
// element of the result, first the ones without a preceding element.
func Place[T comparable](other []T, inResult func(T) bool) (first []T, after map[T][]T) {
	after = map[T][]T{}
	var previous *T
	for i, e := range other {
		switch {
		case inResult(e):
			previous = &other[i]
		case previous == nil:
			first = append(first, e)
		default:
			after[*previous] = append(after[*previous], e)
		}
	}
	return first, after
}

// Behind returns other with the elements that base alone added, each after its nearest preceding element in other, else
// first. So additions of other at the same position follow them. alone reports whether only base added an element.
func Behind[T comparable](base, other []T, alone func(T) bool) []T {
	inOther := make(map[T]bool, len(other))
	for _, e := range other {
		inOther[e] = true
	}
	kept := slices.DeleteFunc(slices.Clone(base), func(e T) bool { return !inOther[e] && !alone(e) })
	return Weave(other, kept, func(e T) bool { return inOther[e] })
}

// Weave returns base with the elements that only other has, each at its Place.
func Weave[T comparable](base, other []T, inBase func(T) bool) []T {
	first, after := Place(other, inBase)
	out := slices.Grow(first, len(base))
	for _, e := range base {
		out = append(append(out, e), after[e]...)
	}
	return out
}
