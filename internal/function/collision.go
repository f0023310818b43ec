package function

import (
	"cmp"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
)

// collisions warns of two resources of the result that are one to a cluster,
// and were not before the merge: local renamed one to what upstream calls
// another, say.
func collisions(all []*merged) framework.Results {
	var results framework.Results
	seen := map[identity.Entry]*merged{}
	for _, m := range all {
		if !m.present() || m.newest().meta.Naming != identity.ByName {
			continue
		}
		who := calledAs(m.called, m.newest().pkg)
		other, twice := seen[who]
		if !twice {
			seen[who] = m
			continue
		}
		if collided(m, other, identity.Local) || collided(m, other, identity.Upstream) {
			continue
		}
		r := notice(m, "the result has it twice; "+cmp.Or(other.file, "another item")+" has it too")
		r.Severity = framework.Warning
		results = append(results, r)
	}
	return results
}

// calledAs is an item's own identity in its package.
func calledAs(m identity.Meta, pkg string) identity.Entry {
	return identity.Entry{Package: pkg, Meta: identity.Meta{
		APIVersion: identity.Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name,
	}}
}

// collided says whether a side has both already under one name.
func collided(a, b *merged, side identity.Side) bool {
	x, y := a.items[side], b.items[side]
	return x != nil && y != nil && calledAs(x.meta, x.pkg) == calledAs(y.meta, y.pkg)
}
