package merge

import (
	"github.com/resource-merge/resource-merge/merge/managed"
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

// isNamed reports whether an element is a field of a struct. Of what no schema knows all
// fields are taken for such.
func (e *element) isNamed(in *element) bool {
	if in.form != mapping {
		return false
	}
	if in.typ == nil || in.typ.Elem == nil {
		return true
	}
	_, known := in.typ.Fields[e.path.field]
	return known
}

// holds reports whether a set owns the place: for itself or, of a struct's field, through
// what it owns below.
func (p place) holds(s *managed.Set) bool { return s.Member() || p.named && s.HasBelow() }

// look finds out what becomes of an element's place, and whether the element goes: M owned
// it, and either nobody else does or it lies in something that nobody does (design 14, 2).
func (r *serving) look(e *element, p place) (_ place, goes bool) {
	mine, others := false, p.holds(p.claims)
	for _, o := range e.owned {
		if r.isMine(o.by) {
			mine = mine || p.holds(o.fields)
		} else {
			others = others || p.holds(o.fields)
		}
	}
	p.untouched = p.untouched && !mine
	p.held = p.held && (p.untouched || others)
	return p, mine && !p.held
}
