package merge

import "slices"

// weave orders the children that the result has (DESIGN 3.5): those of base in
// base's order, and each that only other has right after its nearest preceding
// sibling in other that is there, else first. base and other are indices into
// children.
func weave(children []decision, base, other []int) []int {
	inBase := make([]bool, len(children))
	for _, i := range base {
		inBase[i] = children[i].verdict != Drop
	}
	first := []int(nil)
	after := map[int][]int{}
	previous := -1
	for _, i := range other {
		if children[i].verdict == Drop {
			continue
		}
		if !inBase[i] {
			if previous < 0 {
				first = append(first, i)
			} else {
				after[previous] = append(after[previous], i)
			}
			continue
		}
		previous = i
	}
	out := slices.Grow(first, len(base))
	for _, i := range base {
		if inBase[i] {
			out = append(append(out, i), after[i]...)
		}
	}
	return out
}
