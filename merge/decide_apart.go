package merge

import (
	"github.com/resource-merge/resource-merge/identity"
)

// decideApart sees to it that maps of a struct that may have no key in common
// have none after the merge, unless a side wrote them so (design 3.7): a key that
// is in data or in binaryData. A side that moved the key switched:
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
