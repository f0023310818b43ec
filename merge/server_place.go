package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/managed"
)

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
// it, and either nobody else does or it lies in something that nobody does (design 14, 2).
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
