package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// marked is a decision of a merge whose collisions are to be marked (design 18):
// what collides is the policy's side's version as a whole, or nothing where that
// side has nothing. Only an image that collides in one part has the other part
// merged.
func marked(e *element, d decision, policy Policy) decision {
	if len(d.conflicts) == 0 || !policy.Marks(e.path) || e.form == atomic && d.conflicts[0].Part != "" {
		return d
	}
	whole := version(e, take(policy.Side(e.path)))
	whole.conflicts = d.conflicts[:1]
	return whole
}

// markOrphan makes a conflict of what one side alone has in a resource or an element
// that both sides added.
func markOrphan(e *element, policy Policy) (decision, bool) {
	if !e.orphan || !policy.Marks(e.path) || e.has(origin) || e.has(upstream) == e.has(local) {
		return decision{}, false
	}
	side := policy.Side(e.path)
	d := version(e, take(side))
	d.conflict(BothChanged, e, side)
	return d, true
}

// markAdded makes a conflict of what the sides added at one place of a list,
//
//   - where both added something, and no schema says that the order of the list means
//     nothing: which of them comes first is for the user to say, as it is with lines;
//   - where both removed an element there: what they added may stand for it, as a
//     reference to a newer version does, and not both can.
func markAdded(e *element, elements []decision, policy Policy) {
	ours, theirs := e.addedAfter(local), e.addedAfter(upstream)
	if len(ours) == 0 && len(theirs) == 0 || !policy.Marks(e.path) {
		return
	}
	gone := e.removedAfter()
	for after := -1; after < len(e.children); after++ {
		both := len(ours[after]) > 0 && len(theirs[after]) > 0
		if !gone[after] && !(both && e.guessed) {
			continue
		}
		for _, i := range slices.Concat(ours[after], theirs[after]) {
			c := e.children[i]
			elements[i] = version(c, take(policy.Side(c.path)))
			elements[i].conflict(BothChanged, c, policy.Side(c.path))
		}
	}
}

// removedAfter are the elements of both sides after which origin has one that both
// removed, -1 for none.
func (e *element) removedAfter() map[int]bool {
	removed, after := map[int]bool{}, -1
	for _, i := range e.order[origin] {
		switch c := e.children[i]; {
		case c.has(upstream) && c.has(local):
			after = i
		case !c.has(upstream) && !c.has(local):
			removed[after] = true
		}
	}
	return removed
}

// addedAfter are the elements that side alone added, by the element of both sides
// that they follow, -1 for none.
func (e *element) addedAfter(side identity.Side) map[int][]int {
	added, after := map[int][]int{}, -1
	for _, i := range e.order[side] {
		switch c := e.children[i]; {
		case c.has(upstream) && c.has(local):
			after = i
		case !c.has(origin):
			added[after] = append(added[after], i)
		}
	}
	return added
}
