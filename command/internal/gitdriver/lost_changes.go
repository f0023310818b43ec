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
// decide. In a list without keys that both sides changed, each element counts. A change of a field that isDecided reports as
// decided may be missing.
func (v Versions) lostChange(merged []byte, isDecided func(identity.ID, *merge.Path) bool) (where string, found bool) {
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	was := originals(sides, result)
	c := comparer{known: schema.New(nil, nil, true)}
	all := [4]pkgmerge.Package{sides[identity.Origin], sides[identity.Upstream], sides[identity.Local], result}
	c.mixed = slices.ContainsFunc(all[:], hasSeveralNameless)
	for i, p := range all {
		c.add(i, p, was)
	}
	for _, id := range c.order {
		if path, found := c.lostChange(id, isDecided); found {
			return c.describe(id, path), true
		}
	}
	return "", false
}

// misplacedDocument returns a document that only one side changed, or none, and whose text a merge of the lines has not as this
// side (rules/git: lost changes): the lines of a side may have come into a similar document.
func (v Versions) misplacedDocument(merged []byte) (document string, found bool) {
	if !bytes.Contains(merged, []byte("\n---")) {
		return "", false
	}
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	var c comparer
	was := originals(sides, result)
	for i, p := range [4]pkgmerge.Package{sides[identity.Origin], sides[identity.Upstream], sides[identity.Local], result} {
		c.add(i, p, was)
	}
	for _, id := range c.order {
		var texts [4][]byte
		for i, documents := range c.documents {
			if r := documents[id]; r != nil {
				if texts[i], err = r.YAML(); err != nil {
					return "", false
				}
				texts[i] = bytes.TrimSpace(texts[i])
			}
		}
		base, theirs, ours, got := texts[0], texts[1], texts[2], texts[3]
		if bytes.Equal(base, theirs) && !bytes.Equal(got, ours) || bytes.Equal(base, ours) && !bytes.Equal(got, theirs) {
			return c.describe(id, nil), true
		}
	}
	return "", false
}

// hasAliases reports whether a text may have aliases, which repeat a change elsewhere.
func hasAliases(text []byte) bool {
	return bytes.Contains(text, []byte(": *")) || bytes.Contains(text, []byte("- *"))
}

// originals maps the documents of the sides and of the merge to the base's documents that they are versions of (rules/git: renamed
// documents). A document of the merge may combine the names of both sides.
func originals(sides [3]pkgmerge.Package, merged pkgmerge.Package) map[*pkgmerge.Resource]*pkgmerge.Resource {
	out, names, renamed := map[*pkgmerge.Resource]*pkgmerge.Resource{}, map[identity.ID]*pkgmerge.Resource{}, [3]map[*pkgmerge.Resource]identity.ID{}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		renamed[side] = map[*pkgmerge.Resource]identity.ID{}
		for r, was := range pairDocuments(sides[identity.Origin].Resources, sides[side].Resources).of {
			out[r], names[r.ID()], renamed[side][was] = was, was, r.ID()
		}
	}
	for was, u := range renamed[identity.Upstream] {
		if l, found := renamed[identity.Local][was]; found {
			names[combine(was.ID(), u, l)] = was
		}
	}
	for _, r := range merged.Resources {
		if was, found := names[r.ID()]; found {
			out[r] = was
		}
	}
	return out
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

func (c *comparer) add(version int, p pkgmerge.Package, was map[*pkgmerge.Resource]*pkgmerge.Resource) {
	c.documents[version] = map[documentID]*pkgmerge.Resource{}
	for _, r := range p.Resources {
		id := documentID{ID: r.ID()}
		if original := was[r]; original != nil {
			id.ID = original.ID()
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
func (c *comparer) lostChange(id documentID, isDecided func(identity.ID, *merge.Path) bool) (path *merge.Path, found bool) {
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
	return findLostChange(trees, kind, func(at *merge.Path) bool { return isDecided(id.ID, at) })
}

// findLostChange returns the first path at which a merge lost a change. The versions are the base,
// theirs, ours and the merge, nil where the document is missing. A change that isDecided reports as decided may be missing.
func findLostChange(versions [4]*yaml.Node, kind schema.Resource, isDecided func(*merge.Path) bool) (path *merge.Path, found bool) {
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
		if isLost(d, ours, theirs, merged) && !isDecided(d.Path) {
			return d.Path, true
		}
	}
	i := slices.IndexFunc(merged.all, func(d merge.Comparison) bool {
		return !ours.touches(d.Path) && !theirs.touches(d.Path) && !isDecided(d.Path)
	})
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

// touches reports whether there is a change at a path, above it or below it. Another order of a list changes none of its elements.
func (c changes) touches(p *merge.Path) bool {
	return c.above[p.String()] || slices.ContainsFunc(pathsTo(p), func(above *merge.Path) bool {
		d, found := c.at[above.String()]
		return found && (above == p || !isReordered(d))
	})
}

// isReordered reports whether a list has nothing but another order.
func isReordered(d merge.Comparison) bool {
	if d.From == nil || d.To == nil || d.From.Kind != yaml.SequenceNode || d.To.Kind != yaml.SequenceNode || len(d.From.Content) != len(d.To.Content) {
		return false
	}
	return contentOf(inOrder(d.From)) == contentOf(inOrder(d.To))
}

// inOrder returns a list with its elements in an order that depends on nothing but them.
func inOrder(list *yaml.Node) *yaml.Node {
	out := *list
	out.Content = slices.Clone(list.Content)
	slices.SortStableFunc(out.Content, func(a, b *yaml.Node) int { return strings.Compare(contentOf(a), contentOf(b)) })
	return &out
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
			!c.addsUnderKey(o) && !c.addsWith(d.Path, o)
	})
}

// addsWith reports whether c has a new element, in the list of an element that it removed, in which a change of the other version is made,
// too: both sides changed the element, and c gave it another key.
func (c changes) addsWith(removed *merge.Path, o merge.Comparison) bool {
	if removed == nil || o.Path.String() == removed.String() {
		return false
	}
	below := o.Path.Steps()[len(removed.Steps()):]
	return slices.ContainsFunc(c.all, func(added merge.Comparison) bool {
		if added.From != nil || added.Path == nil || added.Path.Parent().String() != removed.Parent().String() {
			return false
		}
		value := added.To
		for _, step := range below {
			if value = yamlnode.Field(value, step.Field); value == nil || step.Keys != nil {
				return false
			}
		}
		return merge.Same(value, o.To)
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
				if _, found := findLostChange([4]*yaml.Node{b, u, l, e}, schema.Resource{}, func(*merge.Path) bool { return false }); !found {
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
