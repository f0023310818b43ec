package pkgmerge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ownFields returns the fields of a Kptfile that belong to the copy (rules/kptfiles: Kptfiles), and sourceFields the
// fields with the source of the package.
func ownFields() []string {
	return []string{"metadata.name", "metadata.namespace", "inventory", "status"}
}

func sourceFields() []string { return []string{"upstream", "upstreamLock"} }

// kptfileTrees returns the versions of a resource. In a Kptfile, the fields that belong to one side are unchanged on
// the others (rules/kptfiles: Kptfiles): the fields of the copy are local's. So is the source of the root package,
// which the update command writes; below the root the source is upstream's, if upstream has it.
func kptfileTrees(m *Match) ([3]*yaml.Node, error) {
	trees, err := m.Trees()
	l := trees[identity.Local]
	if err != nil || l == nil || !m.Newest().isKptfile() {
		return trees, err
	}
	own := ownFields()
	if path.Dir(m.Versions[identity.Local].File) == "." {
		own = append(own, sourceFields()...)
	} else {
		trees = agreeOnSource(trees)
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		for _, name := range own {
			trees[side] = yamlnode.CopyField(trees[side], l, strings.Split(name, "."))
		}
	}
	return trees, nil
}

// isOwnKptfile reports whether a match is the Kptfile of the root package, and only local has one. It
// stays under every strategy, and is not a change of the package (rules/kptfiles: Kptfiles).
func (m *Match) isOwnKptfile() bool {
	return m.onlyLocal() && m.Newest().isKptfile() && path.Dir(m.Newest().File) == "."
}

// agreeOnSource gives origin local's source of a subpackage if upstream has one, and else gives upstream origin's.
func agreeOnSource(trees [3]*yaml.Node) [3]*yaml.Node {
	o, u, l := trees[identity.Origin], trees[identity.Upstream], trees[identity.Local]
	if o == nil || u == nil {
		return trees
	}
	for _, name := range sourceFields() {
		if yamlnode.Field(u, name) != nil {
			trees[identity.Origin] = yamlnode.CopyField(trees[identity.Origin], l, []string{name})
		} else {
			trees[identity.Upstream] = yamlnode.CopyField(trees[identity.Upstream], o, []string{name})
		}
	}
	return trees
}

// same reports whether two sides have equal versions (rules/fields: equality), or neither has one.
func (m *Match) same(a, b identity.Side) (bool, error) {
	if m.sameText(a, b) {
		return true, nil
	}
	trees, err := kptfileTrees(m)
	return err == nil && merge.Same(trees[a], trees[b]), err
}

// newSchema returns the schema of the resources: the rules of the options, the CRDs of the sides, and the
// built-in kinds (rules/schemas: CRDs).
func (v *versions) newSchema() (*schema.Schema, error) {
	var items []*resourcelist.Item
	ruled := map[string]bool{}
	for _, rule := range v.options.Lists {
		ruled[rule.Kind] = true
	}
	for _, r := range v.resources() {
		if ruled[r.Meta.Kind] {
			items = append(items, r.item)
		}
	}
	if err := resourcelist.Parse(items); err != nil {
		return nil, err
	}
	crds, err := v.definitions()
	if err != nil {
		return nil, err
	}
	return schema.New(v.options.Lists, crds, !v.options.NoInference), nil
}

// definitions returns the CRDs of the sides, in the order of their precedence. They are read on demand, and
// only the schemas of the merged kinds and versions (rules/reading: skimming).
func (v *versions) definitions() ([]schema.CRD, error) {
	var items []*resourcelist.Item
	v.defining = nil
	for _, side := range [3]identity.Side{identity.Upstream, identity.Local, identity.Origin} {
		for _, r := range v.packages[side].Resources {
			if r.isCRD() {
				items, v.defining = append(items, r.item), append(v.defining, r)
			}
		}
	}
	outlines, err := resourcelist.Outlines(items, "openAPIV3Schema")
	if err != nil {
		return nil, err
	}
	v.crds = make([]schema.CRD, len(items))
	for i := range v.crds {
		v.crds[i] = schema.CRD{
			Read:  func() *yaml.Node { return outlines()[i].Root },
			Value: func(n *yaml.Node) *yaml.Node { return outlines()[i].Value(n) },
		}
	}
	return v.crds, nil
}

// schemaWarnings tells of CRDs that could not be used.
func (v *versions) schemaWarnings() []Notice {
	var out []Notice
	for _, w := range v.schema.Warnings {
		is := func(crd schema.CRD) bool { return crd.Read() == w.CRD }
		out = append(out, Notice{Warning: true, Resource: v.defining[slices.IndexFunc(v.crds, is)], Path: w.Path, Text: w.Text})
	}
	return out
}

// subpackage is a directory below the package with a Kptfile on some side, and the resources in it: it
// comes, goes and stays as a whole (rules/kptfiles: subpackages).
type subpackage struct {
	dir     string
	kptfile [3]*yaml.Node
	// members are indices of matches, also of the packages inside, and kptfileAt is the Kptfile's.
	members   []int
	kptfileAt int
}

// decideSubpackages returns the outcomes, by index, of the members of subpackages that come, go or stay as a whole.
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
		verdict, outcome, err := p.decide(matches)
		if err != nil {
			return nil, err
		}
		if verdict != memberwise {
			p.apply(matches, decided, verdict, outcome)
		}
	}
	return decided, nil
}

// subpackages finds the subpackages, outer ones first. A resource belongs to the package that contains its
// newest version, and to the packages around that.
func subpackages(matches []*Match) ([]*subpackage, error) {
	at, all, err := findKptfiles(matches)
	if err != nil {
		return nil, err
	}
	for i, m := range matches {
		for dir := m.Package(); dir != "."; dir = path.Dir(dir) {
			p := at[dir]
			if p == nil {
				continue
			}
			p.members = append(p.members, i)
			if p.updatedAlone() {
				break // the packages around it do not decide
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *subpackage) int {
		return strings.Count(a.dir, "/") - strings.Count(b.dir, "/")
	})
	return all, nil
}

// findKptfiles finds the directories below the package's own with a Kptfile, as subpackages without members.
func findKptfiles(matches []*Match) (at map[string]*subpackage, all []*subpackage, err error) {
	at = map[string]*subpackage{}
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
				return nil, nil, err
			}
			at[dir].kptfile[side], at[dir].kptfileAt = trees[side], i
		}
	}
	return at, all, nil
}

// packageVerdict is the outcome of a subpackage as a whole.
type packageVerdict int

const (
	// memberwise: its resources are merged one by one.
	memberwise packageVerdict = iota
	// leftAlone: it stays as local has it, or stays away.
	leftAlone
	// dropped: it is deleted, except for resources that upstream keeps elsewhere.
	dropped
)

// decide decides the subpackage. The outcome has the conflict or the remark about it.
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
		return p.addedByBoth(matches)
	}
	return memberwise, merge.Outcome{}, nil
}

// updatedAlone reports whether the user updated the subpackage from an upstream of its own.
func (p *subpackage) updatedAlone() bool {
	if p.kptfile[identity.Origin] == nil {
		return false
	}
	o := yamlnode.Field(p.kptfile[identity.Origin], "upstream")
	l := yamlnode.Field(p.kptfile[identity.Local], "upstream")
	return !merge.Same(o, l) && l != nil
}

// differing returns the first member that differs between two sides, or that only one has, among the
// members that share the package's verdict; -1 if there is none.
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

// remainsUpstream reports whether upstream still has a member of a package that it deleted. Such a member
// is merged like any other.
func (p *subpackage) remainsUpstream(m *Match) bool {
	return p.kptfile[identity.Upstream] == nil && m.Has(identity.Upstream)
}

// head returns the Kptfile of the package, and sets the member that differs.
func (p *subpackage) head(matches []*Match, member int) *Match {
	head := matches[p.kptfileAt]
	if member != p.kptfileAt {
		head.differing = matches[member].Newest()
	}
	return head
}

// conflict returns a conflict on the package as a whole, in which a member differs.
func (p *subpackage) conflict(matches []*Match, kind merge.Kind, chosen identity.Side, member int) merge.Outcome {
	head := p.head(matches, member)
	return merge.Outcome{Conflicts: []merge.Conflict{{Kind: kind, Values: head.trees, Chosen: chosen}}}
}

// deletedUpstream deletes the package, with a conflict if local changed or added anything in it; under
// policy local it stays. Resources that only local has always stay, in the package around it.
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

// deletedLocally leaves the package out, with a remark if upstream changed anything in it.
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

// addedByBoth keeps the package if both sides are equal, and merges its resources if both sides have some of origin's
// in it: then they moved the package. Else the two packages cannot be merged.
func (p *subpackage) addedByBoth(matches []*Match) (packageVerdict, merge.Outcome, error) {
	if slices.ContainsFunc(p.members, func(i int) bool { return !slices.Contains(matches[i].Versions[:], nil) }) {
		return memberwise, merge.Outcome{}, nil
	}
	member, err := p.differing(matches, identity.Upstream, identity.Local)
	if err == nil && member >= 0 {
		err = fmt.Errorf("package %s was added both upstream and locally, with different content; rename or remove the local one", p.dir)
	}
	return leftAlone, merge.Outcome{}, err
}

// apply adds the outcomes of the subpackage's members.
func (p *subpackage) apply(matches []*Match, decided map[int]merge.Outcome, v packageVerdict, whole merge.Outcome) {
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
		head.Conflicts, head.Remarks = whole.Conflicts, whole.Remarks
		decided[p.kptfileAt] = head
	}
}
