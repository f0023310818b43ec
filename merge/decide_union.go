package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// union is a union of a struct, with the indices of its members and its discriminator among the children
// (rules/unions: switches).
type union struct {
	*element
	members, discriminator []int
}

// isUnion reports whether a struct has members that exclude each other. Such a struct is added and deleted as
// one.
func isUnion(typ *schema.Type) bool { return typ != nil && len(typ.Unions) > 0 }

// decideUnions corrects the decisions about a struct's members if a side switched: changed the set of members, or the
// discriminator:
//
//	upstream  local                result
//	-         -                    as any map
//	switched  -                    upstream's members, whatever the policy
//	-         switched             local's members, whatever the policy
//	switched  switched, alike      as any map
//	switched  switched, otherwise  conflict; the members of the policy's side
//
// A changed discriminator outranks members that were added or removed under the old one: a user who switched to
// Recreate keeps it though upstream added parameters of RollingUpdate. If the other side changed something below a
// member that is dropped, that is a conflict.
func decideUnions(e *element, d *decision, policy Policy) {
	if e.typ == nil {
		return
	}
	for _, typ := range e.typ.Unions {
		u := e.union(typ)
		byUpstream, byLocal := u.differs(origin, upstream), u.differs(origin, local)
		if !byUpstream && !byLocal || !u.differs(upstream, local) {
			continue
		}
		winner := upstream
		switch {
		case !byLocal:
		case !byUpstream:
			winner = local
		case u.discriminates(local) == u.discriminates(upstream):
			u.decideSwitches(d, policy.Side(e.path))
			continue
		case u.discriminates(local):
			winner = local
		}
		u.takeMembers(d, winner)
		u.markSwitch(d, policy)
	}
}

// decideSwitches takes the policy's side's members, in conflict.
func (u union) decideSwitches(d *decision, chosen identity.Side) {
	u.takeMembers(d, chosen)
	for _, i := range slices.Concat(u.members, u.discriminator) {
		d.children[i].conflicts = nil
		d.children[i].silenceChildren()
	}
	d.conflict(BothChanged, u.element, chosen)
}

// union returns a union with the indices of its children.
func (e *element) union(typ schema.Union) union {
	u := union{element: e}
	for i, c := range e.children {
		switch {
		case slices.Contains(typ.Members, c.path.field):
			u.members = append(u.members, i)
		case typ.Discriminator != "" && c.path.field == typ.Discriminator:
			u.discriminator = append(u.discriminator, i)
		}
	}
	return u
}

// differs reports whether two sides have different members or discriminators.
func (u union) differs(a, b identity.Side) bool {
	return slices.ContainsFunc(u.members, func(i int) bool {
		return (u.children[i].effective(a) != nil) != (u.children[i].effective(b) != nil)
	}) || slices.ContainsFunc(u.discriminator, func(i int) bool {
		return !u.children[i].same(u.children[i].effective(a), u.children[i].effective(b))
	})
}

// discriminates reports whether a side changed the discriminator.
func (u union) discriminates(side identity.Side) bool {
	return union{element: u.element, discriminator: u.discriminator}.differs(origin, side)
}

// takeMembers takes a side's members and discriminator. A member that both sides have is merged like any field.
func (u union) takeMembers(d *decision, side identity.Side) {
	for _, i := range u.members {
		c := u.children[i]
		switch {
		case c.effective(side) == nil:
			d.children[i] = c.dropFor(side)
		case c.effective(otherSide(side)) == nil:
			d.children[i] = c.take(side)
			if c.has(origin) {
				d.children[i].conflict(deletedBy(otherSide(side)), c, side)
			}
		}
	}
	for _, i := range u.discriminator {
		d.children[i] = u.children[i].take(side)
	}
}

// dropFor drops a field because side has none. It is a conflict if the other side changed it.
func (e *element) dropFor(side identity.Side) decision {
	d := decision{verdict: Drop}
	if changed := e.effective(otherSide(side)); changed != nil && !e.same(e.value[origin], changed) {
		d.conflict(deletedBy(side), e, side)
	}
	return d
}

// markSwitch makes one conflict of the struct if a switch made conflicts of its members, for markers: they do not
// combine members of both sides.
func (u union) markSwitch(d *decision, policy Policy) {
	if slices.ContainsFunc(u.members, func(i int) bool { return len(d.children[i].conflicts) > 0 }) && policy.Marks(u.path) {
		d.conflict(BothChanged, u.element, policy.Side(u.path))
	}
}
