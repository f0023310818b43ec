package manifest

import "bytes"

// markStaying marks the kids that keep their place: of all runs in the order of
// the text that is edited, one with the most lines, so that the fewest move.
func markStaying(text []byte, lp *place, kids []kid) {
	last, increasing := -1, true
	for i := range kids {
		if kids[i].at >= 0 {
			increasing = increasing && kids[i].at > last
			last = kids[i].at
		}
	}
	if increasing {
		for i := range kids {
			kids[i].stays = kids[i].at >= 0
		}
		return
	}
	runs := heaviest{best: make([]int, len(lp.entries)+1), weight: make([]int, len(kids)), before: make([]int, len(kids))}
	for i := range runs.best {
		runs.best[i] = -1
	}
	top := -1
	for i := range kids {
		if at := kids[i].at; at >= 0 {
			runs.add(i, at, 1+bytes.Count(text[lp.entries[at].lead:max(lp.entries[at].lead, lp.entries[at].end)], []byte("\n")))
			if top < 0 || runs.weight[i] > runs.weight[top] {
				top = i
			}
		}
	}
	for ; top >= 0; top = runs.before[top] {
		kids[top].stays = true
	}
}

// heaviest finds increasing runs with the greatest weight. best is a Fenwick
// tree by position: the kid that ends the heaviest run before it.
type heaviest struct{ best, weight, before []int }

// add adds a kid at a position that no other has.
func (h *heaviest) add(kid, at, weight int) {
	h.before[kid] = -1
	for i := at; i > 0; i -= i & -i {
		if b := h.best[i]; b >= 0 && (h.before[kid] < 0 || h.weight[b] > h.weight[h.before[kid]]) {
			h.before[kid] = b
		}
	}
	if h.weight[kid] = weight; h.before[kid] >= 0 {
		h.weight[kid] += h.weight[h.before[kid]]
	}
	for i := at + 1; i < len(h.best); i += i & -i {
		if b := h.best[i]; b < 0 || h.weight[b] < h.weight[kid] {
			h.best[i] = kid
		}
	}
}
