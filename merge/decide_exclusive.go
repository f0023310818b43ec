package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// decideExclusive ensures that maps of a struct that may have no key in common, such as data and binaryData, have
// none after the merge, unless a side wrote them so (rules/unions: switches). A side that moved the key switched:
//
//	upstream  local     the key stays where
//	switched  -         upstream has it, whatever the policy
//	-         switched  local has it, whatever the policy
//	switched  switched  the policy's side has it
//
// The other side's version is a conflict.
func decideExclusive(e *element, d *decision, policy Policy) {
	if e.typ == nil {
		return
	}
	index := e.fieldIndex()
	for at, name := range e.typ.Apart {
		for _, other := range e.typ.Apart[at+1:] {
			i, found := index[name]
			j, both := index[other]
			if found && both {
				decidePair(decidedMap{e.children[i], &d.children[i]}, decidedMap{e.children[j], &d.children[j]}, policy)
			}
		}
	}
}

// fieldIndex returns the indices of a map's children by their names.
func (e *element) fieldIndex() map[string]int {
	index := make(map[string]int, len(e.children))
	for i, c := range e.children {
		index[c.path.field] = i
	}
	return index
}

// decidedMap is a map with its decision.
type decidedMap struct {
	*element
	d *decision
}

// decidePair removes each key that two maps have in common from one of them.
func decidePair(a, b decidedMap, policy Policy) {
	index := b.fieldIndex()
	for i, x := range a.children {
		j, found := index[x.path.field]
		if !found || !a.keeps(i) || !b.keeps(j) {
			continue
		}
		y := b.children[j]
		if hasBoth := func(s identity.Side) bool { return x.effective(s) != nil && y.effective(s) != nil }; hasBoth(upstream) || hasBoth(local) {
			continue
		}
		if policy.Marks(x.path) {
			a.mark(i, policy.Side(x.path))
			b.mark(j, policy.Side(x.path))
		} else if side := switched(x, y, policy); x.effective(side) != nil {
			b.remove(j, x, side)
		} else {
			a.remove(i, y, side)
		}
	}
}

// switched returns the side that moved a key from one map to the other, by policy if both did.
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

func (m decidedMap) keeps(i int) bool {
	switch m.d.verdict {
	case TakeLocal:
		return m.children[i].effective(local) != nil
	case TakeUpstream:
		return m.children[i].effective(upstream) != nil
	}
	return m.d.verdict == MergeParts && m.d.children[i].verdict != Drop
}

// set replaces the decision about an entry. A map that was taken from one side is split into its entries first.
func (m decidedMap) set(i int, entry decision) {
	if m.d.verdict != MergeParts {
		side := local
		if m.d.verdict == TakeUpstream {
			side = upstream
		}
		m.d.verdict, m.d.children = MergeParts, make([]decision, len(m.children))
		for k, c := range m.children {
			m.d.children[k] = c.take(side)
		}
	}
	m.d.children = slices.Clone(m.d.children)
	m.d.children[i] = entry
	m.d.order = m.mergedOrder(m.d.children)
}

// remove removes an entry because side has its key in another map.
func (m decidedMap) remove(i int, other *element, side identity.Side) {
	c, removed := m.children[i], decision{verdict: Drop}
	if c.has(origin) {
		removed.conflict(deletedBy(side), c, side)
	} else {
		removed.conflict(BothChanged, c, side).Values[side] = other.value[side]
	}
	m.set(i, removed)
	if len(m.d.order) == 0 && (m.effective(upstream) == nil || m.effective(local) == nil) {
		m.d.verdict, m.d.conflicts = Drop, nil
	}
}

// mark takes a side's version of an entry, in conflict.
func (m decidedMap) mark(i int, side identity.Side) {
	entry := m.children[i].take(side)
	entry.conflict(BothChanged, m.children[i], side)
	m.set(i, entry)
}

// marked adapts a decision to markers (rules/git: markers): a conflict gets the whole version of the policy's side,
// or nothing if that side has none, so that each side of a marker shows that side's value. Outside of a conflict
// about an image in a map, about elements of a list or within a text, everything else is merged.
func marked(e *element, d decision, policy Policy) decision {
	if len(d.conflicts) == 0 || !policy.Marks(e.path) {
		return d
	}
	part := d.conflicts[0].Part
	if d.conflicts[0].Within != nil || part == ElementsPart || part != "" && part != AdditionsPart && e.form == mapping {
		return d
	}
	whole := e.take(policy.Side(e.path))
	whole.remarks = slices.DeleteFunc(slices.Clone(d.remarks), func(r Remark) bool { return !isLostComment(r) })
	if whole.conflicts = d.conflicts; part != LinesPart {
		whole.conflicts = d.conflicts[:1]
	}
	return whole
}

// markOrphan makes a conflict of a field that one side alone has in a resource or element that both sides added.
func markOrphan(e *element, policy Policy) (decision, bool) {
	if !e.orphan && !e.disputed || e.has(origin) || e.has(upstream) == e.has(local) {
		return decision{}, false
	}
	marks := policy.Marks(e.path)
	if !marks && !e.rules.NoOrigin && !e.disputed {
		return decision{}, false
	}
	chosen := policy.Side(e.path)
	if !marks && !e.disputed && !e.has(chosen) {
		chosen = otherSide(chosen)
	}
	d := e.take(chosen)
	d.conflict(BothChanged, e, chosen)
	return d, true
}

// collideAdded makes a conflict of the additions of both sides in one position of a list,
//
//   - if no schema says that the order of the list is irrelevant: the user decides their order, as with lines;
//   - if both sides removed an element there, which an addition may replace, such as a reference to a newer version.
//
// Both additions stay, but for markers.
func collideAdded(e *element, elements []decision, policy Policy) {
	isNew := func(i int) bool { return !e.children[i].has(origin) && !e.children[i].unkeyed }
	var added [3]map[int][]int
	for _, side := range [2]identity.Side{upstream, local} {
		added[side] = e.byPredecessor(side, (*element).inBoth, func(i int) bool { return isNew(i) && !e.children[i].has(otherSide(side)) })
	}
	if len(added[upstream]) == 0 || len(added[local]) == 0 {
		return
	}
	removed := e.byPredecessor(origin, (*element).inBoth, func(i int) bool {
		return !e.children[i].unkeyed && !e.children[i].has(upstream) && !e.children[i].has(local)
	})
	for after := -1; after < len(e.children); after++ {
		if len(added[local][after]) == 0 || len(added[upstream][after]) == 0 || len(removed[after]) == 0 && !e.guessed {
			continue
		}
		for _, side := range [2]identity.Side{local, upstream} {
			for _, i := range added[side][after] {
				c, chosen := e.children[i], side
				if len(elements[i].conflicts) > 0 {
					continue
				}
				if policy.Marks(e.path) {
					chosen = policy.Side(c.path)
					elements[i] = c.take(chosen)
				}
				elements[i].conflict(BothChanged, c, chosen)
			}
		}
	}
}

// resemble reports whether two values may be versions of one: texts with the same beginning and end, for half of the
// shorter one's length, or maps with a field in common.
func resemble(a, b *yaml.Node) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == yaml.MappingNode:
		for key, value := range yamlnode.Pairs(a) {
			if other := yamlnode.Field(b, key.Value); other != nil && Same(value, other) {
				return true
			}
		}
		return false
	case a.Kind != yaml.ScalarNode:
		return true
	}
	head, tail := commonEnds(a.Value, b.Value)
	return 2*(head+tail) >= min(len(a.Value), len(b.Value))
}

// commonEnds returns how many bytes two texts have in common at their beginnings and, after these, at their ends.
func commonEnds(a, b string) (head, tail int) {
	shorter := min(len(a), len(b))
	for head < shorter && a[head] == b[head] {
		head++
	}
	for tail < shorter-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// byPredecessor groups the chosen elements of a side's list by the anchor that they follow, -1 if there is none.
func (e *element) byPredecessor(side identity.Side, isAnchor func(*element) bool, chosen func(i int) bool) map[int][]int {
	found, after := map[int][]int{}, -1
	for _, i := range e.order[side] {
		switch {
		case isAnchor(e.children[i]):
			after = i
		case chosen(i):
			found[after] = append(found[after], i)
		}
	}
	return found
}
