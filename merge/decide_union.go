package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// union is a union of a struct, with the children that are its members and its
// discriminator (rules/unions: switches).
type union struct {
	members, discriminator []int // indices of children
}

// isUnion reports whether a struct has members that exclude each other. Such a
// struct is a whole, like a resource: one that a side removed stays away.
func isUnion(typ *schema.Type) bool { return typ != nil && len(typ.Unions) > 0 }

// decideUnions puts the decisions of a struct's members right where a side
// switched, that is changed which members there are, or the discriminator:
//
//	upstream  local                result
//	-         -                    as any map
//	switched  -                    upstream's members, whatever the policy
//	-         switched             local's members, whatever the policy
//	switched  switched, alike      as any map
//	switched  switched, otherwise  conflict; the members of the policy's side
//
// A changed discriminator outranks members that came or went under the old one:
// a user who switched to Recreate keeps it though upstream gave RollingUpdate
// its parameters. What the other side changed below a member that left is a conflict.
func decideUnions(e *element, d *decision, policy Policy) {
	if e.typ == nil {
		return
	}
	for _, u := range e.typ.Unions {
		found := e.union(u)
		switched := func(side identity.Side) bool { return found.differs(e, origin, side) }
		switch {
		case !switched(upstream) && !switched(local) || !found.differs(e, upstream, local):
		case !switched(local):
			found.takeMembers(e, d, upstream)
			found.markSwitch(e, d, policy)
		case !switched(upstream):
			found.takeMembers(e, d, local)
			found.markSwitch(e, d, policy)
		case found.discriminates(e, local) != found.discriminates(e, upstream):
			found.takeMembers(e, d, found.discriminating(e))
			found.markSwitch(e, d, policy)
		default:
			chosen := policy.Side(e.path)
			found.takeMembers(e, d, chosen)
			for _, i := range slices.Concat(found.members, found.discriminator) {
				d.children[i].conflicts = nil
				d.children[i].silence()
			}
			d.conflict(BothChanged, e, chosen)
		}
	}
}

// union finds the children that a union is about.
func (e *element) union(u schema.Union) union {
	var found union
	for i, c := range e.children {
		switch {
		case slices.Contains(u.Members, c.path.field):
			found.members = append(found.members, i)
		case u.Discriminator != "" && c.path.field == u.Discriminator:
			found.discriminator = append(found.discriminator, i)
		}
	}
	return found
}

// differs reports whether two sides have other members or another discriminator.
func (u union) differs(e *element, a, b identity.Side) bool {
	for _, i := range u.members {
		if (e.children[i].effective(a) != nil) != (e.children[i].effective(b) != nil) {
			return true
		}
	}
	for _, i := range u.discriminator {
		if !e.children[i].same(e.children[i].effective(a), e.children[i].effective(b)) {
			return true
		}
	}
	return false
}

// discriminates reports whether side changed the discriminator.
func (u union) discriminates(e *element, side identity.Side) bool {
	for _, i := range u.discriminator {
		if !e.children[i].same(e.children[i].value[origin], e.children[i].effective(side)) {
			return true
		}
	}
	return false
}

// discriminating is the side that changed the discriminator, where one did.
func (u union) discriminating(e *element) identity.Side {
	if u.discriminates(e, upstream) {
		return upstream
	}
	return local
}

// takeMembers has the result have side's members and discriminator. A member that
// both sides have is merged like any field.
func (u union) takeMembers(e *element, d *decision, side identity.Side) {
	for _, i := range u.members {
		c := e.children[i]
		switch {
		case c.effective(side) == nil:
			d.children[i] = leave(c, side)
		case c.effective(otherSide(side)) == nil:
			d.children[i] = keep(c, side)
		}
	}
	for _, i := range u.discriminator {
		d.children[i] = decision{verdict: take(side)}
		if e.children[i].effective(side) == nil {
			d.children[i].verdict = Drop
		}
	}
}

// leave drops a member that side switched away from. It is a conflict if the
// other side changed it.
func leave(c *element, side identity.Side) decision {
	d := decision{verdict: Drop}
	changed := c.effective(otherSide(side))
	if changed == nil || c.same(c.value[origin], changed) {
		return d
	}
	d.conflict(deletedBy(side), c, side)
	return d
}

// keep takes a member that side has and the other side lacks. It is a conflict
// if the other side took it away.
func keep(c *element, side identity.Side) decision {
	d := decision{verdict: take(side)}
	if c.has(origin) {
		d.conflict(deletedBy(otherSide(side)), c, side)
	}
	return d
}

// markSwitch makes one conflict of the struct out of those that a switch of its
// union made below it: its members are not to be taken from one side and the other.
func (u union) markSwitch(e *element, d *decision, policy Policy) {
	for _, i := range u.members {
		if len(d.children[i].conflicts) > 0 && policy.Marks(e.path) {
			d.conflict(BothChanged, e, policy.Side(e.path))
			return
		}
	}
}

// sharers are the elements of a list that share a key, by side.
type sharers [3][]*element

// sharing finds the elements that no key tells apart, by their path.
func (e *element) sharing() map[string]*sharers {
	out := map[string]*sharers{}
	for _, c := range e.children {
		if !c.unkeyed {
			continue
		}
		shared := out[c.path.String()]
		if shared == nil {
			shared = &sharers{}
			out[c.path.String()] = shared
		}
		for side := range c.value {
			if c.value[side] != nil {
				shared[side] = append(shared[side], c)
			}
		}
	}
	return out
}

// decide decides one of the elements: live's stay, unless config dropped all of them.
func (a *sharers) decide(c *element) decision {
	d := decision{verdict: Drop}
	dropped := len(a[upstream]) == 0 && len(a[origin]) > 0
	switch {
	case c.has(local) && !dropped:
		d.verdict = TakeLocal
	case c.has(local) && !a.has(origin, c):
		d.conflict(Drift, c, upstream)
	}
	return d
}

// has reports whether a side has the very element.
func (a *sharers) has(side identity.Side, c *element) bool {
	return slices.ContainsFunc(a[side], func(other *element) bool { return c.same(other.value[side], c.value[local]) })
}

// differ reports whether config has other elements than live.
func (a *sharers) differ(list *element) bool {
	u, l := a[upstream], a[local]
	return len(u) > 0 && !slices.EqualFunc(u, l, func(x, y *element) bool {
		return same(list.typ.Element(), x.value[upstream], y.value[local])
	})
}
