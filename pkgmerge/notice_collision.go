package pkgmerge

import (
	"cmp"

	"github.com/resource-merge/resource-merge/identity"
)

// collisions warns of two resources of the result that are one to a cluster,
// and were not before the merge: local renamed one to what upstream calls
// another, say.
func collisions(all []*Change) []Notice {
	var notices []Notice
	seen := map[identity.Entry]*Change{}
	for _, m := range all {
		if !m.present() || m.Newest().Meta.Naming != identity.ByName {
			continue
		}
		who := calledAs(m.called(), m.Package())
		other, twice := seen[who]
		if !twice {
			seen[who] = m
			continue
		}
		if collided(m, other, identity.Local) || collided(m, other, identity.Upstream) {
			continue
		}
		notices = append(notices, Notice{Warning: true, Change: m, Text: "the result has it twice; " + cmp.Or(other.file, "another item") + " has it too"})
	}
	return notices
}

// calledAs is an item's own identity in its package.
func calledAs(m identity.Meta, pkg string) identity.Entry {
	return identity.Entry{Package: pkg, Meta: identity.Meta{
		APIVersion: identity.Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name,
	}}
}

// collided reports whether a side has both already under one name.
func collided(a, b *Change, side identity.Side) bool {
	x, y := a.Versions[side], b.Versions[side]
	return x != nil && y != nil && calledAs(x.Meta, a.packages[side]) == calledAs(y.Meta, b.packages[side])
}
