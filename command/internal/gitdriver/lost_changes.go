package gitdriver

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// lostChange returns a field in which a merge of lines lost a change of one side, or has a change that no side made
// (rules/git: lost changes). It finds none if the texts cannot be compared field by field.
//
// If both sides changed a field, or one side changed a field that the other renamed, the lines
// decide. In a list without keys that both sides changed, each element counts.
func (v Versions) lostChange(merged []byte) (where string, found bool) {
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	names := originalIDs(sides)
	c := comparer{known: schema.New(nil, nil, true)}
	all := [4]pkgmerge.Package{sides[identity.Origin], sides[identity.Upstream], sides[identity.Local], result}
	c.mixed = slices.ContainsFunc(all[:], hasSeveralNameless)
	for i, p := range all {
		c.add(i, p, names)
	}
	for _, id := range c.order {
		if path, found := c.lostChange(id); found {
			return c.describe(id, path), true
		}
	}
	return "", false
}

// hasAliases reports whether a text may have aliases, which repeat a change elsewhere.
func hasAliases(text []byte) bool {
	return bytes.Contains(text, []byte(": *")) || bytes.Contains(text, []byte("- *"))
}

// originalIDs maps the identities of renamed documents to their identities in the base, also an identity that combines the
// names of both sides. A document stays the same under another kind, too, if it is the only one of the file, or keeps its
// name.
func originalIDs(sides [3]pkgmerge.Package) map[identity.ID]identity.ID {
	names, renamed := map[identity.ID]identity.ID{}, [3]map[identity.ID]identity.ID{}
	origin := sides[identity.Origin].Resources
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		renamed[side] = map[identity.ID]identity.ID{}
		pairs := slices.Concat(findKinds(origin, sides[side].Resources), findRenames(origin, sides[side].Resources))
		if len(origin) == 1 && len(sides[side].Resources) == 1 {
			pairs = append(pairs, [2]*pkgmerge.Resource{origin[0], sides[side].Resources[0]})
		}
		for _, pair := range pairs {
			names[pair[1].ID()], renamed[side][pair[0].ID()] = pair[0].ID(), pair[1].ID()
		}
	}
	for id, u := range renamed[identity.Upstream] {
		if l, found := renamed[identity.Local][id]; found {
			names[combine(id, u, l)] = id
		}
	}
	return names
}

// combine returns an identity with the changes of two others.
func combine(was, a, b identity.ID) identity.ID {
	changed := func(was, a, b string) string {
		if a == was {
			return b
		}
		return a
	}
	return identity.ID{
		Group: changed(was.Group, a.Group, b.Group), Kind: changed(was.Kind, a.Kind, b.Kind),
		Namespace: changed(was.Namespace, a.Namespace, b.Namespace), Name: changed(was.Name, a.Name, b.Name),
	}
}

// findKinds pairs removed and added documents of one name and of different kinds, one of each between the same common
// documents, and mostly equal.
func findKinds(before, after []*pkgmerge.Resource) (pairs [][2]*pkgmerge.Resource) {
	removed, slots := unmatched(before, after)
	added, others := unmatched(after, before)
	for _, from := range slots {
		for _, to := range others {
			was, is := removed[from], added[to]
			if from.preceding == to.preceding && len(was) == 1 && len(is) == 1 && was[0].Meta.Name == is[0].Meta.Name &&
				was[0].Meta.Namespace == is[0].Meta.Namespace && was[0].Likeness(is[0]) >= minLikeness {
				pairs = append(pairs, [2]*pkgmerge.Resource{was[0], is[0]})
			}
		}
	}
	return pairs
}

// documentID identifies a document in a file; n counts documents of one identity.
type documentID struct {
	identity.ID
	n int
}

// comparer compares the documents of the versions of a file with a merge's.
type comparer struct {
	known *schema.Schema
	order []documentID
	// mixed means that a version has several documents without a name, which their kinds tell apart.
	mixed bool
	// documents has the documents of the base, theirs, ours and the merge.
	documents [4]map[documentID]*pkgmerge.Resource
}

func isNameless(r *pkgmerge.Resource) bool { return r.Meta.Naming == identity.ByPath }

func hasSeveralNameless(p pkgmerge.Package) bool {
	first := slices.IndexFunc(p.Resources, isNameless)
	return first >= 0 && slices.ContainsFunc(p.Resources[first+1:], isNameless)
}

func (c *comparer) add(version int, p pkgmerge.Package, names map[identity.ID]identity.ID) {
	c.documents[version] = map[documentID]*pkgmerge.Resource{}
	for _, r := range p.Resources {
		id := documentID{ID: r.ID()}
		if name, found := names[id.ID]; found {
			id.ID = name
		}
		if isNameless(r) && !c.mixed { // it may get its kind on one side (rules/identity: files without a named resource)
			id.ID = identity.ID{}
		}
		for c.documents[version][id] != nil {
			id.n++
		}
		if !slices.ContainsFunc(c.documents[:version], func(other map[documentID]*pkgmerge.Resource) bool { return other[id] != nil }) {
			c.order = append(c.order, id)
		}
		c.documents[version][id] = r
	}
}

// describe names a field of a document in a message.
func (c *comparer) describe(id documentID, path *merge.Path) string {
	field := path.String()
	switch {
	case id.Name == "" || id.Kind == "":
		return field
	case field == "":
		return id.Kind + " " + id.Name
	}
	return field + " of " + id.Kind + " " + id.Name
}

// lostChange returns the first field of a document with a lost change, none if the document cannot be compared.
func (c *comparer) lostChange(id documentID) (path *merge.Path, found bool) {
	var trees [4]*yaml.Node
	var kind schema.Resource
	for version, documents := range c.documents {
		r := documents[id]
		if r == nil {
			continue
		}
		var err error
		if trees[version], err = r.Tree(); err != nil {
			return nil, false
		}
		kind = schemaOf(r, c.known)
	}
	return findLostChange(trees, kind)
}

// findLostChange returns the first path at which a merge lost a change. The versions are the base,
// theirs, ours and the merge, nil where the document is missing.
func findLostChange(versions [4]*yaml.Node, kind schema.Resource) (path *merge.Path, found bool) {
	versions = followKeys(versions, kind)
	var sides [3]changes // theirs, ours, the merge's
	for i, to := range versions[1:] {
		all, err := merge.Differences(versions[0], to, kind)
		if err != nil {
			return nil, false
		}
		sides[i] = indexChanges(all)
	}
	theirs, ours, merged := sides[0], sides[1], sides[2]
	theirs.alignRenames(ours)
	ours.alignRenames(theirs)
	for _, d := range slices.Concat(ours.all, theirs.all) {
		if isLost(d, ours, theirs, merged) {
			return d.Path, true
		}
	}
	i := slices.IndexFunc(merged.all, func(d merge.Comparison) bool { return !ours.touches(d.Path) && !theirs.touches(d.Path) })
	if i < 0 {
		return nil, false
	}
	return merged.all[i].Path, true
}

// isLost reports whether a merge lacks a change of one side or of both, or decided between two changes without a conflict.
func isLost(d merge.Comparison, ours, theirs, merged changes) bool {
	if !ours.touches(d.Path) || !theirs.touches(d.Path) || ours.contains(d) && theirs.contains(d) {
		return !merged.contains(d)
	}
	return ours.removesChanged(d, theirs) || theirs.removesChanged(d, ours) || !keepsElements(d, ours, theirs, merged) || repeatsLines(d, ours, theirs, merged)
}

// changes are the differences of a version from the base.
type changes struct {
	all []merge.Comparison
	at  map[string]merge.Comparison
	// above has the paths above a change.
	above map[string]bool
	// renames has the paths of fields that were renamed.
	renames map[string]bool
}

func indexChanges(all []merge.Comparison) changes {
	c := changes{all: all, at: map[string]merge.Comparison{}, above: map[string]bool{}, renames: map[string]bool{}}
	for _, d := range all {
		c.at[d.Path.String()] = d
		for _, path := range pathsTo(d.Path) {
			c.above[path.String()] = true
		}
	}
	return c
}

// pathsTo returns a path and the paths above it, also that of the resource.
func pathsTo(p *merge.Path) []*merge.Path {
	out := []*merge.Path{nil}
	for ; p != nil; p = p.Parent() {
		out = append(out, p)
	}
	return out
}

// touches reports whether there is a change at a path, above it or below it.
func (c changes) touches(p *merge.Path) bool {
	return c.above[p.String()] || slices.ContainsFunc(pathsTo(p), func(above *merge.Path) bool {
		_, found := c.at[above.String()]
		return found
	})
}

// contains reports whether there is an equal change.
func (c changes) contains(d merge.Comparison) bool {
	got, found := c.at[d.Path.String()]
	return found && equalOrAbsent(got.To, d.To)
}

func equalOrAbsent(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return merge.Same(a, b)
}

// alignRenames counts a change of a field that the other version renamed as a change of the new
// field. A field is renamed if it was removed, and a mostly equal one was added beside it.
func (c changes) alignRenames(other changes) {
	for _, removed := range other.all {
		if removed.To != nil || removed.Path == nil || !c.touches(removed.Path) {
			continue
		}
		for _, added := range other.all {
			if added.From == nil && added.Path != nil && added.Path.Parent().String() == removed.Path.Parent().String() && likeness(removed.From, added.To) >= minLikeness {
				c.at[added.Path.String()] = merge.Comparison{}
				other.renames[removed.Path.String()] = true
			}
		}
	}
}

// removesChanged reports whether c removed a field that the other version changed and did not
// remove: no merge of lines has both changes.
func (c changes) removesChanged(d merge.Comparison, other changes) bool {
	if got, found := c.at[d.Path.String()]; !found || got.From == nil || got.To != nil || c.renames[d.Path.String()] {
		return false
	}
	return slices.ContainsFunc(other.all, func(o merge.Comparison) bool {
		return o.To != nil && slices.ContainsFunc(pathsTo(o.Path), func(above *merge.Path) bool { return above.String() == d.Path.String() }) &&
			!c.addsUnderKey(o)
	})
}

// addsUnderKey reports whether c has a new element in a list under the key that the other version gave an element there.
func (c changes) addsUnderKey(o merge.Comparison) bool {
	steps := o.Path.Steps()
	return isNewKey(o) && slices.ContainsFunc(c.all, func(added merge.Comparison) bool {
		return added.From == nil && added.Path != nil && len(added.Path.Steps()) == len(steps)-1 && merge.Same(yamlnode.Field(added.To, steps[len(steps)-1].Field), o.To) &&
			added.Path.Parent().String() == o.Path.Parent().Parent().String()
	})
}

// likeness returns the share of scalars that two maps or lists have in common at one path, wherever they are in lists, or
// of lines that two texts have in common; 0 for other values.
func likeness(a, b *yaml.Node) float64 {
	if a == nil || b == nil || a.Kind != b.Kind || a.Kind == yaml.ScalarNode && !strings.Contains(a.Value, "\n") {
		return 0
	}
	x, y := map[string]int{}, map[string]int{}
	n, common := addLeaves(x, "", a)+addLeaves(y, "", b), 0
	for leaf, count := range x {
		common += min(count, y[leaf])
	}
	return 2 * float64(common) / float64(max(1, n))
}

// addLeaves counts the lines of the scalars in a value by their paths, and returns their number.
func addLeaves(out map[string]int, path string, v *yaml.Node) (n int) {
	if len(v.Content) == 0 {
		for line := range strings.SplitSeq(v.Value, "\n") {
			out[path+"="+line]++
			n++
		}
	}
	for i, c := range v.Content {
		switch {
		case v.Kind == yaml.SequenceNode:
			n += addLeaves(out, path+"[]", c)
		case i%2 == 1:
			n += addLeaves(out, path+"."+v.Content[i-1].Value, c)
		}
	}
	return n
}

// keepsElements reports whether a merge keeps the elements of a list without keys that both sides changed: each occurs
// as often as the changes of both sides require, and a new element combines the changes of both.
func keepsElements(d merge.Comparison, ours, theirs, merged changes) bool {
	path := d.Path.String()
	base, o, u, m := d.From, ours.at[path].To, theirs.at[path].To, merged.at[path].To
	if base == nil { // both sides added the list
		base = &yaml.Node{Kind: yaml.SequenceNode}
	}
	for _, list := range []*yaml.Node{base, o, u, m} {
		if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) > maxElements {
			return true
		}
	}
	for _, list := range []*yaml.Node{base, m} {
		for _, e := range list.Content {
			was, n := countElement(e, base), countElement(e, m)
			if was > 0 && !isMergedCount(was, countElement(e, u), countElement(e, o), n) || n > max(was, countElement(e, u), countElement(e, o), 1) {
				return false
			}
		}
	}
	removed, added, other := exclude(base, m), exclude(o, base, m), exclude(u, base, m)
	return !slices.ContainsFunc(exclude(m, base, o, u), func(e *yaml.Node) bool { return !combinesChanges(e, removed, added, other) })
}

// repeatsLines reports whether a merge has a line of a text more often than each side because both sides added it in
// different places (rules/laws: added once).
func repeatsLines(d merge.Comparison, ours, theirs, merged changes) bool {
	path := d.Path.String()
	var texts [3]string
	for side, n := range [3]*yaml.Node{identity.Origin: d.From, identity.Upstream: theirs.at[path].To, identity.Local: ours.at[path].To} {
		if n == nil || n.Kind != yaml.ScalarNode || !strings.Contains(n.Value, "\n") {
			return false
		}
		texts[side] = n.Value
	}
	m := merged.at[path].To
	if m == nil || m.Kind != yaml.ScalarNode {
		return false
	}
	collides := slices.ContainsFunc(merge.Lines(texts), func(s merge.Stretch) bool { return s.Collides })
	return collides && hasLineMoreOften(m.Value, texts)
}

// hasLineMoreOften reports whether a text has a line more often than each side, which both sides added.
func hasLineMoreOften(text string, sides [3]string) bool {
	counts := map[string]*[4]int{}
	for i, version := range append(sides[:], text) {
		for line := range strings.Lines(version) {
			if counts[line] == nil {
				counts[line] = &[4]int{}
			}
			counts[line][i]++
		}
	}
	for line, n := range counts {
		if strings.TrimSpace(line) != "" && n[identity.Origin] == 0 && n[identity.Upstream] > 0 && n[identity.Local] > 0 && n[3] > max(n[identity.Upstream], n[identity.Local]) {
			return true
		}
	}
	return false
}

// maxElements limits the lists whose elements are all compared with each other.
const maxElements = 500

// countElement returns how often a list has an element.
func countElement(e *yaml.Node, list *yaml.Node) (n int) {
	for _, other := range list.Content {
		if merge.Same(e, other) {
			n++
		}
	}
	return n
}

// combinesChanges reports whether an element is a removed one with the changes of an element of ours and of one of
// theirs. All are maps, lists or multi-line strings, since no other scalar combines two changes.
func combinesChanges(e *yaml.Node, removed, ours, theirs []*yaml.Node) bool {
	for _, b := range removed {
		for _, l := range ours {
			for _, u := range theirs {
				if b.Kind != e.Kind || u.Kind != e.Kind || l.Kind != e.Kind || e.Kind == yaml.ScalarNode && !strings.Contains(e.Value, "\n") {
					continue
				}
				if _, found := findLostChange([4]*yaml.Node{b, u, l, e}, schema.Resource{}); !found {
					return true
				}
			}
		}
	}
	return false
}

// exclude returns the elements of a list that none of the other lists has.
func exclude(list *yaml.Node, others ...*yaml.Node) (out []*yaml.Node) {
	for _, e := range list.Content {
		if !slices.ContainsFunc(others, func(other *yaml.Node) bool {
			return slices.ContainsFunc(other.Content, func(n *yaml.Node) bool { return merge.Same(e, n) })
		}) {
			out = append(out, e)
		}
	}
	return out
}
