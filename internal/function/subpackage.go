package function

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// subpackage is a directory below the package's own that has a Kptfile on some
// side, with the resources in it: it comes, goes and is left alone as one
// (DESIGN 7).
type subpackage struct {
	dir     string
	kptfile [3]*yaml.Node
	// members are indices of triples, those in the packages inside included; the
	// Kptfile's is one of them.
	members []int
	head    int // of members, the Kptfile's
}

// subpackages finds the subpackages, outer ones before those inside them. A
// resource is in the package that local has it in, else in upstream's, else in
// origin's, and in those around that.
func subpackages(triples []triple) []*subpackage {
	at := map[string]*subpackage{}
	var all []*subpackage
	for i, t := range triples {
		for _, side := range identity.Sides() {
			it := t.items[side]
			if it == nil || !it.isKptfile() || it.pkg == "." {
				continue
			}
			if at[it.pkg] == nil {
				at[it.pkg] = &subpackage{dir: it.pkg}
				all = append(all, at[it.pkg])
			}
			at[it.pkg].kptfile[side], at[it.pkg].head = t.full[side].Node, i
		}
	}
	for i, t := range triples {
		for dir := t.newest().pkg; dir != "."; dir = path.Dir(dir) {
			p := at[dir]
			if p == nil {
				continue
			}
			p.members = append(p.members, i)
			if p.updatedAlone() {
				break // what is around it has no say
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *subpackage) int {
		return strings.Count(a.dir, "/") - strings.Count(b.dir, "/")
	})
	return all
}

// isPackaged says whether any version lies in a subpackage.
func (t triple) isPackaged() bool {
	return slices.ContainsFunc(t.items[:], func(it *item) bool { return it != nil && it.pkg != "." })
}

// verdict is what becomes of a subpackage as one.
type packageVerdict int

const (
	// memberwise: its resources are merged one by one.
	memberwise packageVerdict = iota
	// leftAlone: it stays as local has it, or stays away.
	leftAlone
	// dropped: what upstream has not kept of it elsewhere goes.
	dropped
)

// decide says what becomes of the subpackage, and the conflict that is.
func (p *subpackage) decide(triples []triple, prefer merge.Policy) (packageVerdict, *merge.Conflict, error) {
	o, u, l := p.kptfile[identity.Origin] != nil, p.kptfile[identity.Upstream] != nil, p.kptfile[identity.Local] != nil
	switch {
	case p.updatedAlone():
		return leftAlone, nil, nil
	case o && l && !u:
		return p.deletedUpstream(triples, prefer)
	case o && u && !l:
		return p.deletedLocally(triples)
	case u && l && !o:
		return p.addedTwice(triples)
	}
	return memberwise, nil, nil
}

// updatedAlone says whether the user updated the subpackage from somewhere of
// its own.
func (p *subpackage) updatedAlone() bool {
	if p.kptfile[identity.Origin] == nil {
		return false
	}
	o := fieldOf(p.kptfile[identity.Origin], "upstream")
	l := fieldOf(p.kptfile[identity.Local], "upstream")
	return !merge.Same(o, l) && l != nil
}

// differing is the first member that the verdict is about and that differs
// between two sides, or that only one has; -1 if there is none.
func (p *subpackage) differing(triples []triple, a, b identity.Side) int {
	for _, i := range p.members {
		if !p.kept(triples[i]) && !triples[i].same(a, b) {
			return i
		}
	}
	return -1
}

// kept says whether upstream has a member still though it dropped the package:
// such a one is merged like any other.
func (p *subpackage) kept(t triple) bool {
	return p.kptfile[identity.Upstream] == nil && t.items[identity.Upstream] != nil
}

// conflict is the one on the package as a whole, of which a member differs.
func (p *subpackage) conflict(triples []triple, kind merge.Kind, chosen identity.Side, member int) *merge.Conflict {
	if member != p.head {
		it := triples[member].newest()
		triples[p.head].changed = subjectOf(it, it.rel)
	}
	return &merge.Conflict{Kind: kind, Values: triples[p.head].nodes, Chosen: chosen}
}

// deletedUpstream: deleted, a conflict if local had changed anything in it or
// added to it; under policy local it stays. What only local has in it stays in
// any case, in the package around it.
func (p *subpackage) deletedUpstream(triples []triple, prefer merge.Policy) (packageVerdict, *merge.Conflict, error) {
	member := p.differing(triples, identity.Origin, identity.Local)
	if member < 0 {
		return dropped, nil, nil
	}
	chosen := prefer.Side(nil)
	c := p.conflict(triples, merge.UpstreamDeleted, chosen, member)
	if chosen == identity.Local {
		return leftAlone, c, nil
	}
	return dropped, c, nil
}

// deletedLocally: it stays away, a conflict if upstream changed anything in it.
func (p *subpackage) deletedLocally(triples []triple) (packageVerdict, *merge.Conflict, error) {
	member := p.differing(triples, identity.Origin, identity.Upstream)
	if member < 0 {
		return leftAlone, nil, nil
	}
	return leftAlone, p.conflict(triples, merge.LocalDeleted, identity.Local, member), nil
}

// addedTwice: two packages that were put at one place cannot be merged, unless
// they are one.
func (p *subpackage) addedTwice(triples []triple) (packageVerdict, *merge.Conflict, error) {
	if p.differing(triples, identity.Upstream, identity.Local) >= 0 {
		return 0, nil, fmt.Errorf("package %s was added both upstream and locally, with different content; rename or remove the local one", p.dir)
	}
	return leftAlone, nil, nil
}

// settle makes the outcomes of the subpackage's members, and notes which these
// are.
func (p *subpackage) settle(triples []triple, v packageVerdict, c *merge.Conflict) {
	for _, i := range p.members {
		if p.kept(triples[i]) {
			continue
		}
		if v == dropped && triples[i].onlyLocal() {
			triples[i].left = p.dir
			continue
		}
		triples[i].settled = &merge.Outcome{}
		if v == leftAlone {
			triples[i].settled.Node = triples[i].nodes[identity.Local]
		}
	}
	if head := triples[p.head].settled; c != nil && head != nil {
		head.Conflicts = []merge.Conflict{*c}
	}
}
