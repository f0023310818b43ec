package pkgmerge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// subpackage is a directory below the package's own that has a Kptfile on some side,
// with the resources in it: it comes, goes and is left alone as one (rules/kptfiles:
// subpackages).
type subpackage struct {
	dir     string
	kptfile [3]*yaml.Node
	// members are indices of matches, those in the packages inside included; the
	// Kptfile's is one of them.
	members   []int
	kptfileAt int // of members, the Kptfile's
}

// decideSubpackages decides the subpackages that come, go or stay as one: the
// outcomes of their members, by index.
func decideSubpackages(matches []*Match) (map[int]merge.Outcome, error) {
	decided := map[int]merge.Outcome{}
	packages, err := subpackages(matches)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		if _, done := decided[p.kptfileAt]; done {
			continue // with the package around it
		}
		verdict, said, err := p.decide(matches)
		if err != nil {
			return nil, err
		}
		if verdict != memberwise {
			p.apply(matches, decided, verdict, said)
		}
	}
	return decided, nil
}

// subpackages finds the subpackages, outer ones before those inside them. A
// resource is in the package that local has it in, else in upstream's, else in
// origin's, and in those around that.
func subpackages(matches []*Match) ([]*subpackage, error) {
	at := map[string]*subpackage{}
	var all []*subpackage
	for i, m := range matches {
		for side, r := range m.Versions {
			dir := m.packages[side]
			if r == nil || !r.isKptfile() || dir == "." {
				continue
			}
			if at[dir] == nil {
				at[dir] = &subpackage{dir: dir}
				all = append(all, at[dir])
			}
			trees, err := m.Trees()
			if err != nil {
				return nil, err
			}
			at[dir].kptfile[side], at[dir].kptfileAt = trees[side], i
		}
	}
	for i, m := range matches {
		for dir := m.Package(); dir != "."; dir = path.Dir(dir) {
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
	return all, nil
}

// packageVerdict is what becomes of a subpackage as one.
type packageVerdict int

const (
	// memberwise: its resources are merged one by one.
	memberwise packageVerdict = iota
	// leftAlone: it stays as local has it, or stays away.
	leftAlone
	// dropped: what upstream has not kept of it elsewhere goes.
	dropped
)

// decide says what becomes of the subpackage, and has the conflict or the remark that it
// is in an outcome.
func (p *subpackage) decide(matches []*Match) (packageVerdict, merge.Outcome, error) {
	o, u, l := p.kptfile[identity.Origin] != nil, p.kptfile[identity.Upstream] != nil, p.kptfile[identity.Local] != nil
	switch {
	case p.updatedAlone():
		return leftAlone, merge.Outcome{}, nil
	case o && l && !u:
		return p.deletedUpstream(matches)
	case o && u && !l:
		return p.deletedLocally(matches)
	case u && l && !o:
		return p.addedTwice(matches)
	}
	return memberwise, merge.Outcome{}, nil
}

// updatedAlone reports whether the user updated the subpackage from somewhere of
// its own.
func (p *subpackage) updatedAlone() bool {
	if p.kptfile[identity.Origin] == nil {
		return false
	}
	o := yamlnode.Field(p.kptfile[identity.Origin], "upstream")
	l := yamlnode.Field(p.kptfile[identity.Local], "upstream")
	return !merge.Same(o, l) && l != nil
}

// differing is the first member that the verdict is about and that differs
// between two sides, or that only one has; -1 if there is none.
func (p *subpackage) differing(matches []*Match, a, b identity.Side) (int, error) {
	for _, i := range p.members {
		if p.remainsUpstream(matches[i]) {
			continue
		}
		if same, err := matches[i].same(a, b); err != nil || !same {
			return i, err
		}
	}
	return -1, nil
}

// remainsUpstream reports whether upstream has a member still though it dropped the package:
// such a one is merged like any other.
func (p *subpackage) remainsUpstream(m *Match) bool {
	return p.kptfile[identity.Upstream] == nil && m.Has(identity.Upstream)
}

// head is the Kptfile of the package, of which a member differs.
func (p *subpackage) head(matches []*Match, member int) *Match {
	head := matches[p.kptfileAt]
	if member != p.kptfileAt {
		head.differing = matches[member].Newest()
	}
	return head
}

// conflict is the one on the package as a whole, of which a member differs.
func (p *subpackage) conflict(matches []*Match, kind merge.Kind, chosen identity.Side, member int) merge.Outcome {
	head := p.head(matches, member)
	return merge.Outcome{Conflicts: []merge.Conflict{{Kind: kind, Values: head.trees, Chosen: chosen}}}
}

// deletedUpstream: deleted, a conflict if local had changed anything in it or
// added to it; under policy local it stays. What only local has in it stays in
// any case, in the package around it.
func (p *subpackage) deletedUpstream(matches []*Match) (packageVerdict, merge.Outcome, error) {
	member, err := p.differing(matches, identity.Origin, identity.Local)
	if err != nil || member < 0 {
		return dropped, merge.Outcome{}, err
	}
	head := matches[p.kptfileAt]
	chosen := head.policy().Side(nil)
	c := p.conflict(matches, merge.UpstreamDeleted, chosen, member)
	if chosen == identity.Local {
		return leftAlone, c, nil
	}
	return dropped, c, nil
}

// deletedLocally: it stays away, with a remark if upstream changed anything in it.
func (p *subpackage) deletedLocally(matches []*Match) (packageVerdict, merge.Outcome, error) {
	member, err := p.differing(matches, identity.Origin, identity.Upstream)
	if err != nil || member < 0 {
		return leftAlone, merge.Outcome{}, err
	}
	if matches[p.kptfileAt].removalsCollide {
		return leftAlone, p.conflict(matches, merge.LocalDeleted, identity.Local, member), nil
	}
	head := p.head(matches, member)
	return leftAlone, merge.Outcome{Remarks: []merge.Remark{{Kind: merge.LocalRemoved, Values: head.trees}}}, nil
}

// addedTwice: two packages that were put at one place cannot be merged, unless
// they are one.
func (p *subpackage) addedTwice(matches []*Match) (packageVerdict, merge.Outcome, error) {
	member, err := p.differing(matches, identity.Upstream, identity.Local)
	if err == nil && member >= 0 {
		err = fmt.Errorf("package %s was added both upstream and locally, with different content; rename or remove the local one", p.dir)
	}
	return leftAlone, merge.Outcome{}, err
}

// apply makes the outcomes of the subpackage's members, and notes which these
// are.
func (p *subpackage) apply(matches []*Match, decided map[int]merge.Outcome, v packageVerdict, said merge.Outcome) {
	if v == leftAlone && p.kptfile[identity.Origin] != nil {
		matches[p.kptfileAt].alone = p.dir
	}
	for _, i := range p.members {
		if p.remainsUpstream(matches[i]) {
			continue
		}
		if v == dropped && matches[i].onlyLocal() {
			matches[i].orphanOf = p.dir
			continue
		}
		decided[i] = merge.Outcome{Verdict: merge.Drop}
		if v == leftAlone {
			decided[i] = take(matches[i], identity.Local)
		}
	}
	if head, found := decided[p.kptfileAt]; found {
		head.Conflicts, head.Remarks = said.Conflicts, said.Remarks
		decided[p.kptfileAt] = head
	}
}
