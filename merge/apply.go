package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// ClientApply says what `kubectl apply` makes of a live object (design 13.2). Upstream is
// the config, local the live object, origin the config that was applied last. What is
// known about the kind is of the column of strategic merge.
//
//	config   last-applied  result
//	has it   any           config's, also where config did not change
//	null     any           removed
//	absent   has it        removed, with all that live has below it
//	absent   absent        live's
//
// What live loses that somebody else wrote there is a conflict Drift.
type ClientApply struct{}

// standing: a live object without config stays. Config without a live object is created,
// without its nulls.
func (ClientApply) standing(versions [3]*yaml.Node) (Outcome, bool) {
	switch {
	case versions[upstream] == nil && versions[local] != nil:
		return asItStands(versions, local), true
	case versions[local] == nil && versions[upstream] != nil && !hasNull(versions[upstream]):
		return asItStands(versions, upstream), true
	}
	return Outcome{}, false
}

func (ClientApply) collator(kind schema.Resource, _ *[3]*yaml.Node) collator {
	return collator{kind: kind}
}

func (a ClientApply) decide(e *element, _ Policy) decision { return a.element(e) }

func (a ClientApply) element(e *element) decision {
	u, l := e.value[upstream], e.value[local]
	switch {
	case u == nil && e.has(origin), isNull(u):
		d := decision{verdict: Drop}
		d.lose(e, false)
		return d
	case u == nil && l == nil:
		return decision{verdict: Drop}
	case u == nil && isNull(l): // no deletion, as it would be in a package
		return decision{verdict: takeMade, made: l}
	case u == nil:
		return decision{verdict: TakeLocal}
	case l == nil:
		return takeConfig(u)
	case e.form == mapping:
		return a.fields(e)
	case e.form == associative:
		return a.elements(e)
	case e.same(u, l):
		return decision{verdict: TakeLocal}
	}
	d := takeConfig(u)
	d.lose(e, false)
	return d
}

// takeConfig decides for config's value. A null in it deletes.
func takeConfig(u *yaml.Node) decision {
	if !hasNull(u) {
		return decision{verdict: TakeUpstream}
	}
	return decision{verdict: takeMade, made: unnulled(u)}
}

// unnulled is a value without the fields that are null.
func unnulled(n *yaml.Node) *yaml.Node {
	if !hasNull(n) {
		return n
	}
	out := *n
	out.Content = nil
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			out.Content = append(out.Content, unnulled(c))
		case i%2 == 1 && !isNull(c):
			out.Content = append(out.Content, n.Content[i-1], unnulled(c))
		}
	}
	return &out
}

// fields decides a map, entry by entry. Of a struct that keeps no other fields than
// config's (retainKeys), live's others go, if anything of it is applied.
func (a ClientApply) fields(e *element) decision {
	d := decision{verdict: MergeParts, children: make([]decision, len(e.children))}
	for i, c := range e.children {
		d.children[i] = a.element(c)
	}
	if e.typ != nil && e.typ.RetainKeys && !d.leavesLocal(e) {
		for i, c := range e.children {
			if !c.has(upstream) && d.children[i].verdict != Drop {
				d.children[i] = decision{verdict: Drop}
				d.children[i].lose(c, false)
			}
		}
	}
	d.order = weave(d.children, e.order[local], e.order[upstream])
	return d
}

// elements decides a list with a patch key. Config's order counts: an element that only
// live has follows the nearest before it in live that is in the result. A list in which
// the key leaves elements alike on a side stays live's; config that has something else
// is a conflict.
func (a ClientApply) elements(e *element) decision {
	if slices.ContainsFunc(e.children, func(c *element) bool { return c.unkeyed }) {
		d := decision{verdict: TakeLocal}
		if !e.same(e.value[upstream], e.value[local]) {
			d.conflict(DuplicateKey, e, local)
		}
		return d
	}
	d := decision{verdict: MergeParts, children: make([]decision, len(e.children))}
	for i, c := range e.children {
		d.children[i] = a.element(c)
	}
	d.order = weave(d.children, e.order[upstream], e.order[local])
	return d
}

// leavesLocal reports whether the parts of a decision are local's as they stand.
func (d decision) leavesLocal(e *element) bool {
	for i, c := range e.children {
		switch of := d.children[i]; {
		case of.verdict == MergeParts && of.leavesLocal(c):
		case of.verdict == TakeLocal, of.verdict == Drop && !c.has(local), of.made != nil && of.made == c.value[local]:
		default:
			return false
		}
	}
	return d.order == nil || slices.Equal(d.order, e.order[local])
}

// lose records what live loses at an element that is removed or set to another value,
// each at the place where somebody wrote it: a value that the last config had and live has
// otherwise, and what written says somebody wrote, an entry of a plain map or an element
// of a list, where the last config has nothing. A field of a struct that the last config
// lacked is the server's default as a rule, and no loss.
func (d *decision) lose(e *element, written bool) {
	o, l := e.value[origin], e.value[local]
	switch {
	case l == nil || e.same(o, l) || e.same(e.value[upstream], l):
	case o == nil && !written:
	case o == nil || len(e.children) == 0 || o.Kind != l.Kind:
		d.conflict(Drift, e, upstream)
	default:
		for _, i := range e.order[local] {
			d.lose(e.children[i], e.form == associative || isPlainMap(e.typ))
		}
	}
}

// isPlainMap reports whether the keys of a map are its user's, as labels are, and not the
// fields of a struct.
func isPlainMap(typ *schema.Type) bool { return typ != nil && len(typ.Fields) == 0 && typ.Elem != nil }
