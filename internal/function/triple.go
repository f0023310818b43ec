package function

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/skim"
	"github.com/resource-merge/resource-merge/merge"
)

// triple is the versions of one resource, nil where a side has none.
type triple struct {
	id    identity.ID
	items [3]*item
	// kept says that local's version stays as it is, as the texts tell.
	kept bool
	// nodes are the items' contents without bookkeeping; of a kept resource they
	// are not needed, and nil.
	nodes [3]*yaml.Node
}

// match finds the versions of each resource.
func match(s sides) ([]triple, error) {
	var entries [3][]identity.Entry
	for _, side := range identity.Sides() {
		for _, it := range s.items[side] {
			entries[side] = append(entries[side], it.entry())
		}
	}
	matched, err := identity.Match(entries)
	if err != nil {
		return nil, err
	}
	triples := make([]triple, len(matched))
	for i, m := range matched {
		triples[i].id = m.ID
		for _, side := range identity.Sides() {
			if m.Has(side) {
				triples[i].items[side] = s.items[side][m.At[side]]
			}
		}
	}
	return triples, nil
}

// parseVersions finds the resources that stay as local has them, and parses all others.
func parseVersions(triples []triple, s Strategy) error {
	var items []*resourcelist.Item
	for i := range triples {
		t := &triples[i]
		t.kept = t.isKept(s)
		for _, it := range t.items {
			if it != nil && !t.kept {
				items = append(items, it.Item)
			}
		}
	}
	if err := resourcelist.Parse(items); err != nil {
		return err
	}
	for i := range triples {
		triples[i].strip()
	}
	return nil
}

// isKept says whether the texts tell all that there is to know about the
// resource. Of a Kptfile some fields are decided by rules of their own, and a
// subpackage has to know what local changed in it.
func (t triple) isKept(s Strategy) bool {
	if t.items[identity.Local] == nil || t.newest().isKptfile() || t.movedUpstream() {
		return false
	}
	if t.newest().pkg != "." && !(t.sameText(identity.Origin, identity.Upstream) && t.sameText(identity.Upstream, identity.Local)) {
		return false
	}
	return s.keeps(t)
}

func (t *triple) strip() {
	if t.kept {
		return
	}
	for side, it := range t.items {
		if it != nil {
			t.nodes[side] = strip(it.Node)
		}
	}
	if t.newest().isKptfile() {
		t.settleKptfile()
	}
}

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
