package manifest

import "go.yaml.in/yaml/v3"

// alignLimit is how many pairs of elements are compared at most.
const alignLimit = 250_000

// aligned finds for each of a list's new elements the one of p that it is, or
// was: equal ones in order, and between them, if as many went as came, one each
// of a kind. -1 where there is none.
func aligned(p *place, parts []Part) []int {
	at := make([]int, len(parts))
	for i := range at {
		at[i] = -1
	}
	if p == nil {
		return at
	}
	equal := func(i, j int) bool { return sameValue(parts[i].Value, p.entries[j].value.node) }
	low, highNew, highOld := 0, len(parts), len(p.entries)
	for low < highNew && low < highOld && equal(low, low) {
		at[low] = low
		low++
	}
	for highNew > low && highOld > low && equal(highNew-1, highOld-1) {
		highNew, highOld = highNew-1, highOld-1
		at[highNew] = highOld
	}
	if (highNew-low)*(highOld-low) <= alignLimit {
		alignBetween(at, low, highNew, highOld, equal)
	}
	pairChanged(p, parts, at)
	return at
}

// alignBetween aligns the new elements from low to highNew with the old ones
// from low to highOld, as many equal ones as can be in order.
func alignBetween(at []int, low, highNew, highOld int, equal func(i, j int) bool) {
	width := highOld - low + 1
	best := make([]int, (highNew-low+1)*width)
	for i := highNew - 1; i >= low; i-- {
		for j := highOld - 1; j >= low; j-- {
			here := (i-low)*width + j - low
			if equal(i, j) {
				best[here] = best[here+width+1] + 1
			} else {
				best[here] = max(best[here+1], best[here+width])
			}
		}
	}
	for i, j := low, low; i < highNew && j < highOld; {
		here := (i-low)*width + j - low
		switch {
		case equal(i, j):
			at[i] = j
			i, j = i+1, j+1
		case best[here+1] >= best[here+width]:
			j++
		default:
			i++
		}
	}
}

// pairChanged pairs the elements between two pairs, where there are as many new
// as old ones and they are of one kind.
func pairChanged(p *place, parts []Part, at []int) {
	old := 0
	for i := 0; i <= len(at); i++ {
		start := i
		for i < len(at) && at[i] < 0 {
			i++
		}
		end := len(p.entries)
		if i < len(at) {
			end = at[i]
		}
		if i-start == end-old {
			for k := start; k < i; k++ {
				if j := old + k - start; parts[k].Value.Kind == p.entries[j].value.node.Kind {
					at[k] = j
				}
			}
		}
		old = end + 1
	}
}

// sameValue is sameTree without regard to comments.
func sameValue(a, b *yaml.Node) bool {
	a, b = target(a), target(b)
	if a == b {
		return true
	}
	if !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode {
		return sameScalar(a, b)
	}
	for i := range a.Content {
		if !sameValue(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
