package merge

import "github.com/resource-merge/resource-merge/internal/sibling"

// weave orders the children that the result has (design 3.5): those of base in
// base's order, and each that only other has right after its nearest preceding
// sibling in other that is there, else first. base and other are indices into
// children.
func weave(children []decision, base, other []int) []int {
	inBase := make([]bool, len(children))
	for _, i := range base {
		inBase[i] = true
	}
	return sibling.Weave(present(children, base), present(children, other), func(i int) bool { return inBase[i] })
}

// present are the children of an order that the result has.
func present(children []decision, order []int) []int {
	out := make([]int, 0, len(order))
	for _, i := range order {
		if children[i].verdict != Drop {
			out = append(out, i)
		}
	}
	return out
}
