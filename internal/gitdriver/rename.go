package gitdriver

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// mostly is how much two resources must have in common to be one that was renamed.
const mostly = 0.7

// followRenames finds the documents that a side renamed: one that left it, and one
// that came there in the same place, between the same others, of the same kind and mostly alike
// (design 18). Those of theirs it returns; those of ours are told by the identifier
// of the resource.
func followRenames(packages [3]pkgmerge.Package) (renames []identity.Rename) {
	origin := packages[identity.Origin].Resources
	for _, p := range renamed(origin, packages[identity.Upstream].Resources) {
		from, to := p[0].ID(), p[1].ID()
		renames = append(renames, identity.Rename{Group: &from.Group, Kind: from.Kind, From: nameOf(from), To: nameOf(to)})
	}
	for _, p := range renamed(origin, packages[identity.Local].Resources) {
		from := p[0].ID()
		p[1].Identifier = strings.Join([]string{from.Group, from.Kind, from.Namespace, from.Name}, "|")
	}
	return renames
}

// nameOf is an identity's name as a rename has it.
func nameOf(id identity.ID) string {
	if id.Namespace == "" {
		return id.Name
	}
	return id.Namespace + "/" + id.Name
}

// place is where a document stands: behind how many that both versions have, and of
// what kind it is.
type place struct {
	behind      int
	group, kind string
}

// renamed pairs the documents that left with those that came, where one of each is at
// a place.
func renamed(before, after []*pkgmerge.Resource) (pairs [][2]*pkgmerge.Resource) {
	left, places := alone(before, after)
	came, _ := alone(after, before)
	for _, at := range places {
		if l, c := left[at], came[at]; len(l) == 1 && len(c) == 1 && l[0].Likeness(c[0]) >= mostly {
			pairs = append(pairs, [2]*pkgmerge.Resource{l[0], c[0]})
		}
	}
	return pairs
}

// alone are the named resources that others have not, by place, and their places in
// order.
func alone(resources, others []*pkgmerge.Resource) (out map[place][]*pkgmerge.Resource, places []place) {
	there := map[identity.ID]bool{}
	for _, r := range others {
		there[r.ID()] = true
	}
	out = map[place][]*pkgmerge.Resource{}
	behind := 0
	for _, r := range resources {
		id := r.ID()
		switch {
		case there[id]:
			behind++
		case r.Meta.Naming == identity.ByName:
			at := place{behind, id.Group, id.Kind}
			if out[at] == nil {
				places = append(places, at)
			}
			out[at] = append(out[at], r)
		}
	}
	return out, places
}
