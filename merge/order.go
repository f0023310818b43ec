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

// behind is an order of upstream's, for weave, in which what local alone added stands too
// where that comes first: what both sides add at one place is then local's and after that
// upstream's (design 18).
func (e *element) behind(order []int) []int {
	if !e.localFirst {
		return order
	}
	return sibling.Behind(e.order[local], order, func(i int) bool { return !e.children[i].has(origin) })
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
