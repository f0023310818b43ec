package function

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/skim"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// triple is the versions of one resource, nil where a side has none.
type triple struct {
	id    identity.ID
	items [3]*item
	// matched says how the versions were found.
	matched identity.Triple
	// kept says that local's version stays as it is, as the texts tell.
	kept bool
	// full are the items parsed, and nodes their contents without bookkeeping, as
	// long as they are needed: never, if the resource is kept.
	full  [3]*resourcelist.Item
	nodes [3]*yaml.Node
	// settled is what was decided about the resource together with others.
	settled *merge.Outcome
	// left is the package that upstream deleted around the resource, which only
	// local has; "" if there is none.
	left string
	// changed names the first resource in the package of a Kptfile that makes a
	// conflict on the package.
	changed string
}

// onlyLocal reports whether local alone has the resource.
func (t triple) onlyLocal() bool {
	return t.items[identity.Origin] == nil && t.items[identity.Upstream] == nil
}

// match finds the versions of each resource. unused are the entries of the
// config's renames that matched nothing.
func match(s sides, known *schema.Schema, c Config) (triples []triple, unused []int, err error) {
	var entries [3][]identity.Entry
	for _, side := range identity.Sides() {
		for _, it := range s.items[side] {
			it.clusterScoped = known.ClusterScoped(identity.Group(it.meta.APIVersion), it.meta.Kind)
			entries[side] = append(entries[side], it.entry())
		}
	}
	matches, err := identity.Match(entries, identity.Options{
		Renames: c.identityRenames(),
		Likeness: func(side identity.Side, at, local int) float64 {
			return likenessOf(s.items[side][at], s.items[identity.Local][local])
		},
	})
	if err != nil {
		return nil, nil, err
	}
	triples = make([]triple, len(matches.Triples))
	for i, m := range matches.Triples {
		triples[i].id, triples[i].matched = m.ID, m
		for _, side := range identity.Sides() {
			if m.Has(side) {
				triples[i].items[side] = s.items[side][m.At[side]]
			}
		}
	}
	return triples, matches.Unused, nil
}

// isKept says whether the texts tell all that there is to know about the
// resource. Of a Kptfile some fields are decided by rules of their own, a
// subpackage has to know what local changed in it, and what upstream added may
// be something else renamed.
func (t triple) isKept(s Strategy) bool {
	if t.items[identity.Local] == nil || t.items[identity.Origin] == nil || t.newest().isKptfile() || t.movedUpstream() {
		return false
	}
	if t.newest().pkg != "." && !(t.sameText(identity.Origin, identity.Upstream) && t.sameText(identity.Upstream, identity.Local)) {
		return false
	}
	return s.keeps(t)
}

// parse parses the versions, unless the resource is kept or that is done.
func (t *triple) parse() error {
	if t.kept || t.full != [3]*resourcelist.Item{} {
		return nil
	}
	for side, it := range t.items {
		if it == nil {
			continue
		}
		full, err := it.Parsed()
		if err != nil {
			return err
		}
		t.full[side], t.nodes[side] = full, strip(full.Node)
	}
	if t.newest().isKptfile() {
		t.settleKptfile()
	}
	return nil
}

// forget lets go of what was parsed.
func (t *triple) forget() { t.full, t.nodes = [3]*resourcelist.Item{}, [3]*yaml.Node{} }

// sameText says whether the texts of two sides tell that they have the same
// version, or that neither has one.
func (t triple) sameText(a, b identity.Side) bool {
	x, y := t.items[a], t.items[b]
	if x == nil || y == nil {
		return x == y
	}
	return resourcelist.SameText(x.Item, y.Item, skim.Ignored{Annotation: isBookkeeping, Comment: isMergeComment})
}

func isMergeComment(text string) bool {
	_, err := identity.ParseComment(text)
	return err == nil
}

// same says whether two sides have the same version, or neither has one.
func (t triple) same(a, b identity.Side) bool {
	if t.kept {
		return t.sameText(a, b)
	}
	return merge.Same(t.nodes[a], t.nodes[b])
}

// movedUpstream says whether upstream moved the resource to another file and
// local did not.
func (t triple) movedUpstream() bool {
	o, u, l := t.items[identity.Origin], t.items[identity.Upstream], t.items[identity.Local]
	return o != nil && u != nil && l != nil && u.rel != o.rel && l.rel == o.rel && u.rel != ""
}

// newest is the version by whose names and file the user knows the resource.
func (t triple) newest() *item {
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if t.items[side] != nil {
			return t.items[side]
		}
	}
	return t.items[identity.Origin]
}
