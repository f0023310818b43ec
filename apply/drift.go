package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// FromLive is the strategy ResourceMerge for an upstream that is live objects, of which each has
// origin in its annotation last-applied: what was changed in a cluster comes back into the
// package (rules/apply: drift back into the package).
type FromLive struct {
	pkgmerge.ResourceMerge
	// Namespace is that of resources which name none; "" is default.
	Namespace string
	// Adopt are the managers whose fields are taken where origin has nothing.
	Adopt []string
}

// Begin begins a merge. Origin is read from the live objects, and has no resources.
func (f FromLive) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	d := &drift{adopt: f.Adopt, cluster: cluster{
		packages: versions, config: identity.Local, live: identity.Upstream, namespace: cmp.Or(f.Namespace, "default"),
	}}
	if err := d.open(); err != nil {
		return nil, versions, err
	}
	return d, d.packages, nil
}

// drift is one merge of live objects into a package: a Reader and a Finisher.
type drift struct {
	cluster
	// structured is the schema in the column by which fields are owned.
	structured *schema.Schema
	// adopt are the managers whose fields come into the package, and unmanaged says that
	// some live object had no managedFields.
	adopt     []string
	unmanaged atomic.Bool
}

// Match finds the live object of each resource of the package.
func (d *drift) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	d.schema, d.structured = known, known.InColumn(schema.Structured)
	matches, err := d.match()
	return pkgmerge.Matching{Matches: matches, Packages: d.packages, Schema: known}, err
}

// Finish says what there is to say of all live objects.
func (d *drift) Finish([]*pkgmerge.Change) ([]pkgmerge.Notice, error) {
	if !d.unmanaged.Load() {
		return nil, nil
	}
	return []pkgmerge.Notice{{Warning: true, Text: "live objects have no managedFields: only what was applied is compared, and nothing that somebody added is taken; " +
		"kubectl get shows managedFields with --show-managed-fields"}}, nil
}

// Read makes origin of what was applied last to a live object, and upstream of what
// somebody changed since then: of what origin lacks, what a manager owns whose fields are
// adopted (rules/apply: drift back into the package). A live object that does not say what
// was applied changes nothing.
func (d *drift) Read(m *pkgmerge.Match, versions [3]*yaml.Node) ([3]*yaml.Node, []string, error) {
	if !m.Has(identity.Upstream) {
		return versions, nil, nil
	}
	r := &reading{cluster: &d.cluster, match: m, trees: versions}
	err := d.read(r)
	return r.trees, r.warnings, err
}

func (d *drift) read(r *reading) error {
	object := r.match.Versions[identity.Upstream]
	last, err := r.appliedTo(identity.Upstream)
	if err != nil {
		return err
	}
	live := r.trees[identity.Upstream]
	if last == nil {
		r.warn("the live object has no annotation " + lastapplied.Annotation + ": nothing of it is taken")
		r.trees[identity.Upstream] = nil
		return nil
	}
	if live, err = merge.Expanded(live); err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	entries, err := owners(live)
	if err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	if len(entries) == 0 {
		d.unmanaged.Store(true)
	}
	var all *managed.Set
	for _, e := range entries {
		all = managed.Union(all, e.Fields)
	}
	kind := d.structured.Resource(identity.Group(object.Meta.APIVersion), identity.Version(object.Meta.APIVersion), object.Meta.Kind)
	last = r.reduced(last)
	r.foldSecrets(&last, live)
	r.trees[identity.Origin] = last
	r.trees[identity.Upstream] = adopted(kind.Type, r.reduced(live), last, adoptedBy(entries, d.adopt), all)
	return nil
}

// adoptedBy is what the adopted managers own: by any operation, on the object or on any
// subresource but status. What the applier owns is no change.
func adoptedBy(entries managed.Entries, managers []string) *managed.Set {
	var out *managed.Set
	for _, e := range entries {
		if slices.Contains(managers, e.Manager) && e.Subresource != "status" && !isApplier(e) {
			out = managed.Union(out, e.Fields)
		}
	}
	return out
}

// reduced is a live object, or what was applied last, without what is not the package's.
func (r *reading) reduced(n *yaml.Node) *yaml.Node {
	return yamlnode.WithoutAnnotations(r.compared(n), func(name string) bool {
		switch name {
		case lastapplied.Annotation, "config.k8s.io/owning-inventory", "deployment.kubernetes.io/revision":
			return true
		}
		return false
	})
}

// adopted takes off a live value what nobody meant for the package: fields that were not
// applied, and that no adopted manager owns. Those are the server's defaults, and what
// belongs to controllers (rules/apply: drift back into the package). It is nil if
// nothing is left.
//
// last is what was applied there, nil if nothing was; mine is what the adopted managers
// own, and all what anybody owns, at the place and below it.
func adopted(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	switch {
	case last == nil && mine.Empty():
		return nil
	case last == nil && !mine.HasBelow(), last != nil && last.Kind != live.Kind, live.Kind == yaml.ScalarNode:
		return live
	case live.Kind == yaml.MappingNode:
		return adoptedFields(typ, live, last, mine, all)
	case live.Kind == yaml.SequenceNode && isKeyed(typ, all):
		return adoptedElements(typ, live, last, mine, all)
	case last != nil && mine.Empty() && covers(live, last):
		return last
	}
	return live
}

func adoptedFields(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	out := *live
	out.Content = nil
	was := yamlnode.Fields(last)
	for i := 0; i+1 < len(live.Content); i += 2 {
		key, step := live.Content[i], managed.Field(live.Content[i].Value)
		v := adopted(typ.Field(key.Value), live.Content[i+1], was(key.Value), mine.Below(step), all.Below(step))
		if v != nil {
			out.Content = append(out.Content, key, v)
		}
	}
	if last == nil && len(out.Content) == 0 {
		return nil
	}
	return &out
}

// isKeyed reports whether the elements of a list are owned one by one.
func isKeyed(typ *schema.Type, all *managed.Set) bool {
	if typ != nil && (typ.Relation == schema.ListMap || typ.Relation == schema.Set) {
		return true
	}
	for step := range all.Children() {
		if _, field := step.FieldName(); !field {
			return true
		}
	}
	return false
}

// adoptedElements takes elements by their keys. An element that is taken has its key.
func adoptedElements(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	out := *live
	out.Content = nil
	var known managed.Elements
	were := newAppliedElements(yamlnode.Elements(last))
	for i, e := range live.Content {
		step := stepTo(typ, &known, all, e, i)
		was := were.find(e, step.KeyNames())
		v := adopted(typ.Element(), e, was, mine.Below(step), all.Below(step))
		if v == nil {
			continue
		}
		if was == nil && v.Kind == yaml.MappingNode {
			v = withKey(v, e, step.KeyNames())
		}
		out.Content = append(out.Content, v)
	}
	if last == nil && len(out.Content) == 0 {
		return nil
	}
	return &out
}

// stepTo is the step to an element, as managedFields have it.
func stepTo(typ *schema.Type, known *managed.Elements, all *managed.Set, element *yaml.Node, index int) managed.Step {
	if step, ok := known.StepTo(all, element, index); ok {
		return step
	}
	if typ == nil || typ.Relation != schema.ListMap {
		return managed.Value(element)
	}
	var parts []managed.KeyPart
	for _, k := range typ.Keys {
		parts = append(parts, managed.KeyPart{Name: k.Name, Value: yamlnode.Field(element, k.Name)})
	}
	return managed.Key(parts...)
}

// withKey is an element with the fields of its key, in the order of the live one.
func withKey(v, live *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if field := yamlnode.Field(live, name); field != nil && yamlnode.Field(v, name) == nil {
			v = yamlnode.Put(v, live, name, field)
		}
	}
	return v
}

// covers reports whether a value has all that another has, and differs from it in nothing
// but fields that the other lacks: defaults.
func covers(live, last *yaml.Node) bool {
	if live.Kind != last.Kind {
		return false
	}
	switch live.Kind {
	case yaml.MappingNode:
		field := yamlnode.Fields(live)
		for i := 0; i+1 < len(last.Content); i += 2 {
			v := field(last.Content[i].Value)
			if v == nil || !covers(v, last.Content[i+1]) {
				return false
			}
		}
		return true
	case yaml.SequenceNode:
		return slices.EqualFunc(live.Content, last.Content, covers)
	}
	return merge.Same(live, last)
}

// appliedElements are the elements of a list that was applied last, by what they say of keys.
type appliedElements struct {
	elements []*yaml.Node
	keys     map[string]saidKeys // by the names of the key, joined
}

// saidKeys are the elements of a list by the parts of a key that they have.
type saidKeys struct {
	// said are the sets of names that elements have, and by the indices of the elements
	// by the parts that they have.
	said [][]bool
	by   map[string][]int
}

func newAppliedElements(elements []*yaml.Node) appliedElements {
	return appliedElements{elements: elements, keys: map[string]saidKeys{}}
}

// find is the first element that became an element of the live list: it has the parts of
// its key that are no defaults; of a set, which has no names, its value. nil if there is none.
func (a appliedElements) find(live *yaml.Node, names []string) *yaml.Node {
	name := strings.Join(names, ",")
	known, done := a.keys[name]
	if !done {
		known = a.index(names)
		a.keys[name] = known
	}
	first := -1
	for _, said := range known.said {
		for _, i := range known.by[partsOf(live, names, said)] {
			if (first < 0 || i < first) && becomes(a.elements[i], live, names, said) {
				first = i
				break
			}
		}
	}
	if first < 0 {
		return nil
	}
	return a.elements[first]
}

func (a appliedElements) index(names []string) saidKeys {
	out := saidKeys{by: map[string][]int{}}
	for i, e := range a.elements {
		said := make([]bool, len(names))
		for at, name := range names {
			said[at] = yamlnode.Field(e, name) != nil
		}
		if names != nil && !slices.Contains(said, true) {
			continue
		}
		if !slices.ContainsFunc(out.said, func(other []bool) bool { return slices.Equal(other, said) }) {
			out.said = append(out.said, said)
		}
		text := partsOf(e, names, said)
		out.by[text] = append(out.by[text], i)
	}
	return out
}

// partsOf is a text of the parts of a key that are said; of the element of a set, of its value.
func partsOf(e *yaml.Node, names []string, said []bool) string {
	if names == nil {
		return managed.JSON(e)
	}
	var b strings.Builder
	for at, name := range names {
		if v := yamlnode.Field(e, name); said[at] && v != nil {
			b.WriteString(managed.JSON(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// becomes reports whether an element is the same as the live one in the parts that are said.
func becomes(e, live *yaml.Node, names []string, said []bool) bool {
	if names == nil {
		return merge.Same(e, live)
	}
	for at, name := range names {
		if said[at] && !merge.Same(yamlnode.Field(e, name), yamlnode.Field(live, name)) {
			return false
		}
	}
	return true
}
