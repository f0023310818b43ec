package align

// maxEdits is how many elements may be left out of a block in the search for
// the fewest: its memory grows with the square.
const maxEdits = 1000

// fewest aligns a block so that the fewest elements have no counterpart, by
// Myers' greedy algorithm. A block that takes more than the budget, or more
// than maxEdits, is left without counterparts.
func (x *aligner) fewest(r block) {
	n, m := r.aHi-r.aLo, r.bHi-r.bLo
	most := min(n+m, maxEdits)
	reach := make([]int, 2*most+3) // by diagonal: how far into a
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

// walkBack pairs the elements on the way that the search found, from its end on
// diagonal k. trace has how far each round could begin.
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
			i-- // the element that was left out
		}
		k = from
	}
}

type aligner struct {
	a, b, match []int
	budget      int // steps that the search for the fewest changes may take
}

// block is a stretch of either sequence.
type block struct{ aLo, aHi, bLo, bHi int }
