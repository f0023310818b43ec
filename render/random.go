package render

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// randomField is a field that two renders of one version have differently, such as a generated password.
type randomField struct {
	path *merge.Path
	// isOnly says that only the first render has it, such as an element with a random key.
	isOnly bool
	// isNew says that the copy has not had it.
	isNew bool
	// inParts says that it is a list or a text, and that its other parts merge.
	inParts bool
	// values has the value of each of the two renders.
	values [2]*yaml.Node
}

// String describes the field's fate in the merge.
func (f randomField) String() string {
	switch {
	case f.isNew:
		return f.path.String() + " is random, and new"
	case f.isOnly:
		return f.path.String() + " has a random key; yours stays"
	case f.inParts:
		return f.path.String() + " has random parts; yours stay"
	}
	return f.path.String() + " is random; yours stays"
}

// keepRandom makes origin equal to upstream in the fields that differ between two renders of one version:
// then upstream did not change them, and local's stay. A field that upstream's version lacks becomes local's:
// then local did not change it.
func (r *Renders) keepRandom(ctx context.Context, both [2]renderPair, local pkgmerge.Package, o pkgmerge.Options) error {
	k := keeping{Renders: r, replaced: map[*pkgmerge.Resource]*pkgmerge.Resource{}}
	if err := k.readFields(ctx, both, o); err != nil || len(k.fields[0])+len(k.fields[1]) == 0 {
		return err
	}
	o.Renames = slices.Concat(o.Renames, r.Renames)
	merged, err := pkgmerge.Merge(ctx, [3]pkgmerge.Package{r.Origin, r.Upstream, local}, o)
	if err != nil {
		return err
	}
	for _, c := range merged.Changes {
		if err := k.mask(c); err != nil {
			return err
		}
	}
	k.replace()
	return nil
}

// keeping keeps the random fields of two versions out of their merge.
type keeping struct {
	*Renders
	// fields are the random fields of origin's and of upstream's resources.
	fields [2]map[*pkgmerge.Resource][]randomField
	// replaced are the resources with masked fields, by the rendered ones; added are the resources that origin gets.
	replaced map[*pkgmerge.Resource]*pkgmerge.Resource
	added    []*pkgmerge.Resource
}

// readFields finds the random fields of both versions.
func (k *keeping) readFields(ctx context.Context, both [2]renderPair, o pkgmerge.Options) (err error) {
	for version, renders := range both {
		if k.fields[version], err = randomFields(ctx, renders, o); err != nil {
			return err
		}
	}
	return nil
}

// mask masks the random fields of one resource.
func (k *keeping) mask(c *pkgmerge.Change) error {
	m := masking{before: k.fields[0][c.Versions[identity.Origin]], after: k.fields[1][c.Versions[identity.Upstream]]}
	if len(m.before)+len(m.after) == 0 {
		return nil
	}
	if err := m.run(c); err != nil {
		return err
	}
	key := c.Versions[identity.Upstream]
	if m.changesUpstream {
		k.replaced[key] = pkgmerge.NewResource(key.File, key.Index, m.trees[identity.Upstream])
	}
	switch was := c.Versions[identity.Origin]; {
	case was != nil:
		key = pkgmerge.NewResource(was.File, was.Index, m.trees[identity.Origin])
		k.replaced[was] = key
	case m.trees[identity.Origin] != nil:
		key = pkgmerge.NewResource(k.file, len(k.Origin.Resources)+len(k.added), m.trees[identity.Origin])
		k.added = append(k.added, key)
	}
	k.random[key] = m.fields
	return nil
}

// replace puts the masked resources into the renders.
func (k *keeping) replace() {
	for _, p := range [2]*pkgmerge.Package{&k.Origin, &k.Upstream} {
		p.Resources = slices.Clone(p.Resources)
		for i, resource := range p.Resources {
			p.Resources[i] = cmp.Or(k.replaced[resource], resource)
		}
	}
	k.Origin.Resources = append(k.Origin.Resources, k.added...)
}

// randomFields compares two renders of one version. The resources come from the first.
func randomFields(ctx context.Context, renders renderPair, o pkgmerge.Options) (map[*pkgmerge.Resource][]randomField, error) {
	if string(renders[0].Files[0].Data) == string(renders[1].Files[0].Data) {
		return nil, nil
	}
	merged, err := pkgmerge.Merge(ctx, [3]pkgmerge.Package{renders[0], renders[0], renders[1]}, o)
	if err != nil {
		return nil, err
	}
	random := map[*pkgmerge.Resource][]randomField{}
	for _, c := range merged.Changes {
		first := c.Versions[identity.Origin]
		if first == nil || !c.Has(identity.Local) {
			continue
		}
		differences, err := c.Differences(identity.Origin)
		if err != nil {
			return nil, err
		}
		for _, d := range differences {
			if d.From != nil && d.Path != nil {
				random[first] = append(random[first], randomField{path: d.Path, isOnly: d.To == nil, values: [2]*yaml.Node{d.From, d.To}})
			}
		}
	}
	return random, nil
}

// masking gives the random fields of origin's version of a resource other values.
type masking struct {
	before, after []randomField // of origin and of upstream
	trees         [3]*yaml.Node
	fields        []randomField // to report
	// changesUpstream says that upstream's version has other values, too.
	changesUpstream bool
}

// run sets origin's fields, and lists the fields.
func (m *masking) run(c *pkgmerge.Change) (err error) {
	if err := m.readTrees(c); err != nil {
		return err
	}
	keys := map[string]int{} // the number of elements with random keys in origin's lists and maps
	seen := map[string]bool{}
	for _, f := range m.before {
		if f.isOnly {
			keys[f.path.Parent().String()]++
		}
	}
	for _, f := range append(m.after[:len(m.after):len(m.after)], m.before...) {
		if !seen[f.path.String()] {
			seen[f.path.String()] = true
			m.field(f, keys)
		}
	}
	return nil
}

// readTrees copies the versions. Origin gets the name alone of a resource that both other sides added.
func (m *masking) readTrees(c *pkgmerge.Change) (err error) {
	for side, version := range c.Versions {
		if version == nil {
			continue
		}
		if m.trees[side], err = clone(version); err != nil {
			return err
		}
	}
	if m.trees[identity.Origin] == nil && c.Has(identity.Upstream) && c.Has(identity.Local) {
		m.trees[identity.Origin] = named(m.trees[identity.Upstream])
	}
	return nil
}

// field sets one field of origin, and notes it.
func (m *masking) field(f randomField, keys map[string]int) {
	var values [3]*yaml.Node
	for side, tree := range m.trees {
		values[side] = merge.NewFinder(tree).Value(f.path)
	}
	o, u, l := values[identity.Origin], values[identity.Upstream], values[identity.Local]
	parent := f.path.Parent().String()
	switch {
	case u == nil && l != nil && o != nil:
		put(m.trees[identity.Origin], f.path, l)
	case u == nil:
	case o == nil && l == nil && f.isOnly && keys[parent] > 0: // local has an element with another key
		keys[parent]--
		put(m.trees[identity.Origin], f.path, u)
		m.fields = append(m.fields, randomField{path: f.path.Parent(), isOnly: true})
	case o == nil && l == nil:
		m.fields = append(m.fields, randomField{path: f.path, isNew: true})
	case o != nil && l != nil && m.inParts(f.path, l):
		m.fields = append(m.fields, randomField{path: f.path, inParts: true})
	default:
		put(m.trees[identity.Origin], f.path, u)
		if l != nil {
			m.fields = append(m.fields, randomField{path: f.path})
		}
	}
}

// inParts sets the random parts of a list, or of a text of several lines, in both versions. It reports whether both
// renders of both versions have such parts.
func (m *masking) inParts(path *merge.Path, local *yaml.Node) bool {
	var versions [2]parted
	for i, fields := range [2][]randomField{m.before, m.after} {
		at := slices.IndexFunc(fields, func(f randomField) bool { return f.path.String() == path.String() })
		ok := at >= 0
		if ok {
			versions[i], ok = newParted(fields[at].values[0], fields[at].values[1])
		}
		if !ok {
			return false
		}
	}
	if !withLocals(versions[0], versions[1], local) {
		return false
	}
	put(m.trees[identity.Origin], path, versions[0].whole())
	put(m.trees[identity.Upstream], path, versions[1].whole())
	m.changesUpstream = true
	return true
}

// named returns the fields of a resource that name it: an origin for a resource that both sides added.
func named(tree *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, path := range [4][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		if v := yamlnode.Lookup(tree, path...); v != nil {
			out = yamlnode.Set(out, nil, v, path...)
		}
	}
	return out
}

// put sets a field or element of a resource. It makes the maps around a field, and no lists.
func put(tree *yaml.Node, path *merge.Path, value *yaml.Node) {
	value = yamlnode.Clone(value)
	if n := merge.NewFinder(tree).Value(path); n != nil {
		*n = *value
		return
	}
	steps := path.Steps()
	if last := steps[len(steps)-1]; last.Keys != nil {
		if list := merge.NewFinder(tree).Value(path.Parent()); list != nil && list.Kind == yaml.SequenceNode {
			list.Content = append(list.Content, value)
		}
		return
	}
	putField(tree, path, value)
}

// putField sets a field of a map, and makes the maps around it.
func putField(tree *yaml.Node, path *merge.Path, value *yaml.Node) {
	steps := path.Steps()
	var fields []string
	n := tree
	for i := len(steps); i > 0 && steps[i-1].Keys == nil; i-- {
		fields = append([]string{steps[i-1].Field}, fields...)
		path = path.Parent()
	}
	if path != nil {
		n = merge.NewFinder(tree).Value(path)
	}
	if n != nil && n.Kind == yaml.MappingNode {
		*n = *yamlnode.Set(n, nil, value, fields...)
	}
}

// parted is a list, or a text of several lines, with some parts that differ between two renders.
type parted struct {
	node   *yaml.Node
	parts  []*yaml.Node
	random []int
}

// newParted compares the parts of a value in two renders of one version. ok is false if they are not the same number.
func newParted(first, second *yaml.Node) (p parted, ok bool) {
	a, b := partsOf(first), partsOf(second)
	if len(a) < 2 || len(a) != len(b) {
		return p, false
	}
	p = parted{node: first, parts: slices.Clone(a)}
	for i := range a {
		if !merge.Same(a[i], b[i]) {
			p.random = append(p.random, i)
		}
	}
	return p, true
}

// partsOf returns the elements of a list, or the lines of a text.
func partsOf(n *yaml.Node) (parts []*yaml.Node) {
	if n == nil || n.Kind != yaml.ScalarNode {
		return yamlnode.Elements(n)
	}
	for line := range strings.Lines(n.Value) {
		parts = append(parts, yamlnode.String(line))
	}
	return parts
}

// whole returns the value of the parts.
func (p parted) whole() *yaml.Node {
	out := *p.node
	if out.Kind == yaml.SequenceNode {
		out.Content = p.parts
		return &out
	}
	out.Value = ""
	for _, line := range p.parts {
		out.Value += line.Value
	}
	return &out
}

// withLocals gives the random parts of both versions local's values: then neither side changed them, and the other
// parts merge. ok is false unless both versions have as many random parts, and local has a part for each.
func withLocals(origin, upstream parted, local *yaml.Node) (ok bool) {
	locals, was := partsOf(local), slices.Clone(origin.parts)
	if len(origin.random) == 0 || len(origin.random) != len(upstream.random) || local.Kind != origin.node.Kind || local.Kind != upstream.node.Kind {
		return false
	}
	at := make([]int, len(origin.random))
	for k, i := range origin.random {
		if at[k] = counterpart(locals, was, i); at[k] < 0 {
			return false
		}
	}
	for k, i := range at {
		origin.parts[origin.random[k]], upstream.parts[upstream.random[k]] = locals[i], locals[i]
	}
	return true
}

// counterpart returns the index of local's part for one of origin's: the same index if there are as many, else the only
// one after, or before, the same neighbour; -1 if there is none.
func counterpart(local, origin []*yaml.Node, i int) int {
	if len(local) == len(origin) {
		return i
	}
	for _, beside := range [2]int{-1, 1} {
		found, count := -1, 0
		neighbour := partAt(origin, i+beside)
		for at := range local {
			if neighbour != nil && merge.Same(partAt(local, at+beside), neighbour) {
				found, count = at, count+1
			}
		}
		if count == 1 {
			return found
		}
	}
	return -1
}

// partAt returns a part, nil if there is none of that index.
func partAt(parts []*yaml.Node, i int) *yaml.Node {
	if i < 0 || i >= len(parts) {
		return nil
	}
	return parts[i]
}
