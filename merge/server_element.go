package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// marks are the paths below an element that an apply changes in live: set are those that
// come or get another value, lost those that go.
type marks struct{ set, lost managed.Builder }

func (m *marks) add(step managed.Step, below marks) {
	m.set.Add(step, below.set.Set())
	m.lost.Add(step, below.lost.Set())
}

// element decides an element and all below it.
func (r *serving) element(e *element, p place) (decision, marks) {
	if !e.has(upstream) && !e.has(local) {
		return decision{verdict: Drop}, marks{}
	}
	p, goes := r.look(e, p)
	if goes {
		return r.remove(e)
	}
	if e.isWhole() {
		return r.whole(e)
	}
	return r.parts(e, p)
}

// isWhole reports whether an element is one field: a scalar, what the schema calls
// atomic, and what is empty on both sides.
func (e *element) isWhole() bool {
	return e.form == atomic || isBare(e.value[upstream]) && isBare(e.value[local])
}

// whole decides one field. The server compares values as they are written; what it stores
// alike is no change of the object all the same.
func (r *serving) whole(e *element) (decision, marks) {
	u, l := e.value[upstream], e.value[local]
	if u == nil {
		return r.kept(l), marks{}
	}
	d, m := r.config(e), marks{}
	if l == nil || !same(nil, u, l) {
		m.set.Member = true
		r.owned(e, &d)
	}
	return d, m
}

// kept decides for live's value.
func (r *serving) kept(l *yaml.Node) decision {
	if yamlnode.IsNull(l) {
		return decision{verdict: takeMade, made: l}
	}
	return decision{verdict: TakeLocal}
}

// config decides for config's value. A null is one: the empty string in a map of strings,
// elsewhere nothing (rules/server-side-apply: null). So is what is empty where the server
// does not store that.
func (r *serving) config(e *element) decision {
	u, l := e.value[upstream], e.value[local]
	d := decision{verdict: Drop}
	switch {
	case yamlnode.IsNull(u) && e.typ != nil && e.typ.Scalar == schema.String:
		d = e.made(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle})
	case yamlnode.IsNull(u):
	case isBare(u) && u.Kind != yaml.ScalarNode && e.typ != nil && e.typ.OmitsEmpty:
		return d
	case l != nil && e.same(u, l):
		return decision{verdict: TakeLocal}
	default:
		return takeConfig(u)
	}
	d.remark(NullOwned, e)
	return d
}

// parts decides a map or a keyed list part by part. Where the apply empties it, it goes,
// unless config has it, and the server stores what is empty.
func (r *serving) parts(e *element, p place) (decision, marks) {
	d, m := decision{verdict: MergeParts, children: make([]decision, len(e.children))}, marks{}
	for i, c := range e.children {
		if _, found := e.successor(i); found {
			d.children[i] = decision{verdict: Drop}
			m.lost.Add(c.path.step(), managed.Of(nil))
			continue
		}
		var below marks
		d.children[i], below = r.element(c, p.below(e, c))
		m.add(c.path.step(), below)
	}
	d.order = e.appliedOrder(d.children)
	r.halved(e, &d)
	if u := e.value[upstream]; len(d.order) == 0 && (u == nil || yamlnode.IsNull(u) || e.typ != nil && e.typ.OmitsEmpty) {
		d.verdict = Drop
	}
	if !e.has(local) {
		m.set.Member = true
		r.owned(e, &d)
	}
	return d, m
}

// halved says of an element that config dropped, and that stays because another manager
// owns its key, that it is not what it was (rules/server-side-apply: dropped elements).
func (r *serving) halved(e *element, d *decision) {
	if e.path == nil || e.path.keys == nil || e.has(upstream) || slices.Equal(d.order, e.order[local]) {
		return
	}
	d.remark(LeftToOthers, e)
}

// remove decides that live's element goes, with all below it. What others own there is
// lost to them without a word from the server (rules/server-side-apply: dropped
// elements).
func (r *serving) remove(e *element) (decision, marks) {
	d := decision{verdict: Drop}
	return d, r.lose(e, &d)
}

func (r *serving) lose(e *element, d *decision) (m marks) {
	if !e.has(local) {
		return m
	}
	m.lost.Member = true
	if owners := e.ownersBut(r.isMine); len(owners) > 0 {
		d.conflict(Drift, e, upstream)
		d.conflicts[len(d.conflicts)-1].Managers = owners
	}
	for _, c := range e.children {
		m.add(c.path.step(), r.lose(c, d))
	}
	return m
}

// owned makes a conflict for each other manager who owns a field that config sets to
// something else (rules/server-side-apply: fields in the config).
func (r *serving) owned(e *element, d *decision) {
	if r.wasApplied(e) {
		return
	}
	for _, owner := range e.ownersBut(func(e *managed.Entry) bool { return e.Same(r.owner) }) {
		d.conflict(Owned, e, r.chosen)
		d.conflicts[len(d.conflicts)-1].Managers = []string{owner}
	}
}

// ownersBut are the managers who own the element itself, but for some.
func (e *element) ownersBut(isOut func(*managed.Entry) bool) []string {
	var out []string
	for _, o := range e.owned {
		if o.fields.Member() && !isOut(o.by) {
			out = append(out, o.by.String())
		}
	}
	return out
}

// place is what the rules of server-side apply know of an element from above.
type place struct {
	// claims is what M owns of the element after the apply, and below it.
	claims *managed.Set
	// named says that the element is a field of a struct. Such a field is owned with what
	// is below it, where an entry of a map and an element of a list are owned for themselves.
	named bool
	// untouched says that neither the element nor what it lies in was M's; held, that each
	// of these is untouched, or owned by another or by config.
	untouched, held bool
}

// top is the place of the object itself, which nobody owns.
func (r *serving) top(e *element) place {
	return place{claims: r.claims, named: true, untouched: true, held: true}
}

// below is the place of a child.
func (p place) below(e, child *element) place {
	p.claims, p.named = p.claims.Below(child.path.step()), child.isNamed(e)
	return p
}

// holds reports whether a set owns the place: for itself or, of a struct's field, through
// what it owns below.
func (p place) holds(s *managed.Set) bool { return s.Member() || p.named && s.HasBelow() }

// look finds out what becomes of an element's place, and whether the element goes: M owned
// it, and either nobody else does or it lies in something that nobody does
// (rules/server-side-apply: dropped fields).
func (r *serving) look(e *element, p place) (_ place, goes bool) {
	p, mine := r.owners(e, p)
	return p, mine && e.isOwnable(p.named) && !(p.held && r.isLeft(e, p))
}

// owners finds out whether an element was M's, and completes its place.
func (r *serving) owners(e *element, p place) (_ place, mine bool) {
	others := p.holds(p.claims)
	for _, o := range e.owned {
		if r.isMine(o.by) {
			mine = mine || p.holds(o.fields)
		} else {
			others = others || p.holds(o.fields)
		}
	}
	p.untouched = p.untouched && !mine
	p.held = p.held && (p.untouched || others)
	return p, mine
}

// isLeft reports whether something that can be owned is left of an element that is held, or
// nothing at all.
func (r *serving) isLeft(e *element, p place) bool {
	if e.form == atomic || !p.named {
		return true
	}
	nothing := true
	for _, c := range e.children {
		if !c.has(upstream) && !c.has(local) {
			continue
		}
		of, _ := r.owners(c, p.below(e, c))
		ownable := c.isOwnable(of.named)
		if of.held && ownable && r.isLeft(c, of) {
			return true
		}
		nothing = nothing && !of.held && ownable
	}
	return nothing
}

// isOwnable reports whether an element has anything that can be owned. An empty list with
// keys has not: it stays, whoever owned it.
func (e *element) isOwnable(named bool) bool {
	if e.form == atomic || !named || e.form == mapping && len(e.children) == 0 {
		return true
	}
	return slices.ContainsFunc(e.children, func(c *element) bool { return c.isOwnable(c.isNamed(e)) })
}
