package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// marked is a decision of a merge whose collisions are to be marked (design 18):
// what collides is the policy's side's version as a whole, or nothing where that
// side has nothing. So each side of a marker shows the image that this side has; of a map in
// which an image collides, and of a list in which elements do, all else is merged.
func marked(e *element, d decision, policy Policy) decision {
	if len(d.conflicts) == 0 || !policy.Marks(e.path) {
		return d
	}
	if part := d.conflicts[0].Part; part == ElementsPart || part != "" && e.form == mapping {
		return d
	}
	whole := version(e, take(policy.Side(e.path)))
	whole.conflicts = d.conflicts[:1]
	if d.conflicts[0].Part == LinesPart {
		whole.conflicts = d.conflicts
	}
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
//     reference to a newer version does, and not both can. What one side alone
//     added there collides only if it is mostly what was removed, so that one side changed
//     what the other removed.
func markAdded(e *element, elements []decision, policy Policy) {
	ours, theirs := e.addedAfter(local), e.addedAfter(upstream)
	if len(ours) == 0 && len(theirs) == 0 || !policy.Marks(e.path) {
		return
	}
	gone := e.removedAfter()
	for after := -1; after < len(e.children); after++ {
		both := len(ours[after]) > 0 && len(theirs[after]) > 0
		if len(gone[after]) == 0 && !(both && e.guessed) {
			continue
		}
		for _, i := range slices.Concat(ours[after], theirs[after]) {
			c := e.children[i]
			if !both && !slices.ContainsFunc(gone[after], func(old *element) bool { return c.resembles(old) }) {
				continue
			}
			elements[i] = version(c, take(policy.Side(c.path)))
			elements[i].conflict(BothChanged, c, policy.Side(c.path))
		}
	}
}

// resembles reports whether an element that a side added may be another version of
// one that origin has: a text that begins and ends as the other one, for half of the shorter
// one's length, or a map with a field in common.
func (e *element) resembles(old *element) bool {
	a, b := cmp.Or(e.value[local], e.value[upstream]), old.value[origin]
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(a.Content); i += 2 {
			if other := yamlnode.Field(b, a.Content[i].Value); other != nil && Same(a.Content[i+1], other) {
				return true
			}
		}
		return false
	case a.Kind != yaml.ScalarNode:
		return true
	}
	shorter, head, tail := min(len(a.Value), len(b.Value)), 0, 0
	for head < shorter && a.Value[head] == b.Value[head] {
		head++
	}
	for tail < shorter-head && a.Value[len(a.Value)-1-tail] == b.Value[len(b.Value)-1-tail] {
		tail++
	}
	return 2*(head+tail) >= shorter
}

// removedAfter are the elements that origin has and both sides removed, by the
// element of both sides that they follow, -1 for none.
func (e *element) removedAfter() map[int][]*element {
	removed, after := map[int][]*element{}, -1
	for _, i := range e.order[origin] {
		switch c := e.children[i]; {
		case c.has(upstream) && c.has(local):
			after = i
		case !c.has(upstream) && !c.has(local):
			removed[after] = append(removed[after], c)
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
