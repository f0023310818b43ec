package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideList is DESIGN 3.3 and 3.4: a keyed list element by element, each of
// them a whole. In a set an element has no content of its own, so the rows come
// down to local, plus what upstream added, minus what upstream removed. A list
// that the merge emptied stays, as [], only if upstream and local both still
// have it.
func decideList(e *element, policy Policy) decision {
	if d, done := decideLoose(e, policy); done {
		return d
	}
	d := decision{verdict: mergeParts, children: make([]decision, len(e.children))}
	for i, c := range e.children {
		if c.loose {
			d.children[i] = looseElement(c)
		} else {
			d.children[i] = decideIdentified(c, policy)
		}
	}
	arrange(e, &d, policy)
	both := e.effective(upstream) != nil && e.effective(local) != nil
	if len(d.order) == 0 && !both {
		d.verdict = drop
	}
	return d
}

// looseElement keeps what no key tells apart as local has it.
func looseElement(c *element) decision {
	if c.has(local) {
		return decision{verdict: takeLocal}
	}
	return decision{verdict: drop}
}

// decideLoose decides a list with loose elements whole, by 3.1, if it can: one
// side left the list alone, or both agree, or upstream changed the loose
// elements so that nothing tells which of them became which. That is a conflict
// duplicate-key if local changed the list too (DESIGN 4).
func decideLoose(e *element, policy Policy) (d decision, done bool) {
	o, u := e.looseNodes(origin), e.looseNodes(upstream)
	if len(o)+len(u)+len(e.looseNodes(local)) == 0 {
		return decision{}, false
	}
	d = decideWhole(e, policy)
	if len(d.conflicts) == 0 {
		return d, true
	}
	if sameLists(e.typ.Element(), o, u) {
		return decision{}, false
	}
	d.conflicts[0].Kind = DuplicateKey
	return d, true
}

func (e *element) looseNodes(side identity.Side) []*yaml.Node {
	var nodes []*yaml.Node
	for _, i := range e.order[side] {
		if e.children[i].loose {
			nodes = append(nodes, e.children[i].value[side])
		}
	}
	return nodes
}

// arrange orders a list's elements (DESIGN 3.5). Local's order is the base. If
// upstream reordered the elements that all three sides have and local did not,
// upstream's is. If both did, differently, that is a conflict; a set has no
// order, so there it is none and local's stands.
func arrange(e *element, d *decision, policy Policy) {
	common := func(side identity.Side) []int {
		var out []int
		for _, i := range e.order[side] {
			c := e.children[i]
			if c.has(origin) && c.has(upstream) && c.has(local) && d.children[i].verdict != drop {
				out = append(out, i)
			}
		}
		return out
	}
	o, u, l := common(origin), common(upstream), common(local)
	base := local
	switch {
	case slices.Equal(o, u) || slices.Equal(u, l):
	case slices.Equal(o, l):
		base = upstream
	case e.typ == nil || e.typ.Relation != schema.Set:
		base = policy.Side(e.path)
		d.conflict(Order, e, base)
	}
	if base == upstream {
		d.order = weave(d.children, e.order[upstream], e.order[local])
		return
	}
	d.order = weave(d.children, e.order[local], e.order[upstream])
}
