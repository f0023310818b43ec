package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// decideApart sees to it that maps of a struct that may have no key in common have none
// after the merge, unless a side wrote them so (rules/unions: switches): a key that is
// in data or in binaryData. A side that moved the key switched:
//
//	upstream  local     the key stays where
//	switched  -         upstream has it, whatever the policy
//	-         switched  local has it, whatever the policy
//	switched  switched  the policy's side has it
//
// What the other side has there is a conflict.
func decideApart(e *element, d *decision, policy Policy) {
	if e.typ == nil {
		return
	}
	place := map[string]int{}
	for i, c := range e.children {
		place[c.path.field] = i
	}
	for at, name := range e.typ.Apart {
		for _, other := range e.typ.Apart[at+1:] {
			i, has := place[name]
			j, both := place[other]
			if has && both {
				decidePair(
					mapOf{e.children[i], &d.children[i]},
					mapOf{e.children[j], &d.children[j]}, policy)
			}
		}
	}
}

// mapOf is a map with what is decided about it.
type mapOf struct {
	*element
	d *decision
}

// decidePair takes a key that two maps have away from one.
func decidePair(a, b mapOf, policy Policy) {
	place := make(map[string]int, len(b.children))
	for j, c := range b.children {
		place[c.path.field] = j
	}
	for i, x := range a.children {
		j, found := place[x.path.field]
		if !found || !a.keeps(i) || !b.keeps(j) {
			continue
		}
		y := b.children[j]
		if twice := func(s identity.Side) bool { return x.effective(s) != nil && y.effective(s) != nil }; twice(upstream) || twice(local) {
			continue
		}
		if policy.Marks(x.path) {
			markPair(a, b, i, j, policy.Side(x.path))
		} else if side := switched(x, y, policy); x.effective(side) != nil {
			b.cut(j, x, side)
		} else {
			a.cut(i, y, side)
		}
	}
}

// switched is the side that moved a key from one map to the other, by policy
// where both did.
func switched(x, y *element, policy Policy) identity.Side {
	moved := func(s identity.Side) bool {
		return x.has(origin) != (x.effective(s) != nil) || y.has(origin) != (y.effective(s) != nil)
	}
	switch {
	case !moved(local):
		return upstream
	case !moved(upstream):
		return local
	}
	return policy.Side(x.path)
}

// keeps reports whether the result has an entry of the map.
func (m mapOf) keeps(i int) bool {
	switch m.d.verdict {
	case TakeLocal:
		return m.children[i].effective(local) != nil
	case TakeUpstream:
		return m.children[i].effective(upstream) != nil
	case MergeParts:
		return m.d.children[i].verdict != Drop
	}
	return false
}

// split has the map decided entry by entry, where it is taken from one side.
func (m mapOf) split() {
	if m.d.verdict == MergeParts {
		return
	}
	parts := make([]decision, len(m.children))
	for k, c := range m.children {
		parts[k] = version(c, m.d.verdict)
	}
	m.d.verdict, m.d.children = MergeParts, parts
}

// cut takes an entry away because side has its key elsewhere, as other.
func (m mapOf) cut(i int, other *element, side identity.Side) {
	m.split()
	c := m.children[i]
	cut := decision{verdict: Drop}
	if c.has(origin) {
		cut.conflict(deletedBy(side), c, side)
	} else {
		cut.conflict(BothChanged, c, side)
		cut.conflicts[0].Values[side] = other.value[side]
	}
	m.d.children[i] = cut
	m.d.order = weave(m.d.children, m.order[local], m.behind(m.order[upstream]))
	if len(m.d.order) == 0 && (m.effective(upstream) == nil || m.effective(local) == nil) {
		m.d.verdict, m.d.conflicts = Drop, nil
	}
}

// markPair decides a key that one side has in one map and the other side in
// another: each map has it as the policy's side has.
func markPair(a, b mapOf, i, j int, side identity.Side) {
	a.mark(i, side)
	b.mark(j, side)
}

// mark has an entry as side has it, as a conflict.
func (m mapOf) mark(i int, side identity.Side) {
	m.split()
	c := m.children[i]
	m.d.children[i] = version(c, take(side))
	m.d.children[i].conflict(BothChanged, c, side)
	m.d.order = weave(m.d.children, m.order[local], m.behind(m.order[upstream]))
}

// marked is a decision of a merge whose collisions are to be marked (rules/git: markers):
// what collides is the policy's side's version as a whole, or nothing where that side has
// nothing. So each side of a marker shows the image that this side has; of a map in which an
// image collides, and of a list in which elements do, all else is merged.
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
