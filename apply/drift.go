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

// FromLive is the strategy ResourceMerge for an upstream of live objects, each with origin in its annotation
// last-applied: it merges changes in a cluster into the package (rules/apply: drift back into the package).
type FromLive struct {
	pkgmerge.ResourceMerge
	// Namespace is the namespace of resources that name none; "" is default.
	Namespace string
	// Adopt lists the managers whose fields are taken where origin has none.
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

// drift is one merge of live objects into a package.
type drift struct {
	cluster
	structured *schema.Schema // the schema of field ownership
	adopt      []string
	unmanaged  atomic.Bool // whether a live object had no managedFields
}

// Match finds the live object of each resource of the package.
func (d *drift) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	d.schema, d.structured = known, known.InColumn(schema.Structured)
	matches, err := d.match()
	return pkgmerge.Matching{Matches: matches, Packages: d.packages, Schema: known}, err
}

// Write leaves the writing to Merge.
func (*drift) Write(*pkgmerge.Match, merge.Outcome) (*pkgmerge.Resource, error) { return nil, nil }

// Finish warns if live objects have no managedFields.
func (d *drift) Finish([]*pkgmerge.Change) ([]pkgmerge.Notice, error) {
	if !d.unmanaged.Load() {
		return nil, nil
	}
	return []pkgmerge.Notice{{Warning: true, Text: "live objects have no managedFields: only applied fields are compared, and added fields are not merged; " +
		"kubectl get shows managedFields with --show-managed-fields"}}, nil
}

// Read makes origin from the configuration that was applied last to a live object, and upstream from the changes since
// then: a field that origin lacks counts if an adopted manager owns it (rules/apply: drift back into the package). A
// live object without a record of that configuration changes nothing.
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
		r.warn("the live object has no annotation %s: none of its changes is merged", lastapplied.Annotation)
		r.trees[identity.Upstream] = nil
		return nil
	}
	if live, err = merge.Expand(live); err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	entries, err := managed.EntriesOf(live)
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

// adoptedBy returns the fields of the adopted managers: by any operation, on the object or on any subresource but
// status. The applier's fields are no changes.
func adoptedBy(entries managed.Entries, managers []string) *managed.Set {
	var out *managed.Set
	for _, e := range entries {
		if slices.Contains(managers, e.Manager) && e.Subresource != "status" && !isApplier(e) {
			out = managed.Union(out, e.Fields)
		}
	}
	return out
}

// reduced returns a live object, or the configuration that was applied last, without annotations of clients and
// controllers.
func (r *reading) reduced(n *yaml.Node) *yaml.Node {
	return yamlnode.WithoutAnnotations(r.compared(n), func(name string) bool {
		switch name {
		case lastapplied.Annotation, "config.k8s.io/owning-inventory", "deployment.kubernetes.io/revision":
			return true
		}
		return false
	})
}

// adopted returns a live value without the fields that were not applied and that no adopted manager owns: the server's
// defaults and the fields of controllers (rules/apply: drift back into the package). It is nil if nothing is left.
//
// last is the applied value, nil if there is none; mine has the fields of the adopted managers, and all the fields
// of all managers, at the value's path and below.
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
	for key, value := range yamlnode.Pairs(live) {
		step := managed.Field(key.Value)
		if v := adopted(typ.Field(key.Value), value, was(key.Value), mine.Below(step), all.Below(step)); v != nil {
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

// adoptedElements matches elements by their keys. An adopted element keeps its key.
func adoptedElements(typ *schema.Type, live, last *yaml.Node, mine, all *managed.Set) *yaml.Node {
	out := *live
	out.Content = nil
	var known ownedElements
	were := appliedElements{elements: yamlnode.Elements(last), keys: map[string]keyIndex{}}
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

// stepTo returns the step to an element in managedFields.
func stepTo(typ *schema.Type, known *ownedElements, all *managed.Set, element *yaml.Node, index int) managed.Step {
	if step, ok := known.stepTo(all, element, index); ok {
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

// withKey returns an element with the fields of its key, in the order of the live element.
func withKey(v, live *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if field := yamlnode.Field(live, name); field != nil && yamlnode.Field(v, name) == nil {
			v = yamlnode.Put(v, live, name, field)
		}
	}
	return v
}

// covers reports whether a live value is the applied one, but for fields that the applied one lacks: defaults.
func covers(live, last *yaml.Node) bool {
	if live.Kind != last.Kind {
		return false
	}
	switch live.Kind {
	case yaml.MappingNode:
		field := yamlnode.Fields(live)
		for key, value := range yamlnode.Pairs(last) {
			if v := field(key.Value); v == nil || !covers(v, value) {
				return false
			}
		}
		return true
	case yaml.SequenceNode:
		return slices.EqualFunc(live.Content, last.Content, covers)
	}
	return merge.Same(live, last)
}

// appliedElements finds elements of the list that was applied last. Their keys may lack parts with defaults.
type appliedElements struct {
	elements []*yaml.Node
	keys     map[string]keyIndex // by the names of the key, joined
}

// keyIndex finds the first element with certain parts of a key. present lists the sets of parts that elements have.
type keyIndex struct {
	present [][]bool
	first   map[string]int
}

// find returns the first element with the key of a live element, but for parts that it lacks, or with its value if
// there are no names; nil if there is none.
func (a appliedElements) find(live *yaml.Node, names []string) *yaml.Node {
	joined := strings.Join(names, ",")
	index, known := a.keys[joined]
	if !known {
		index = newKeyIndex(a.elements, names)
		a.keys[joined] = index
	}
	first := len(a.elements)
	for _, present := range index.present {
		if i, found := index.first[keyText(live, names, present)]; found {
			first = min(first, i)
		}
	}
	if first == len(a.elements) {
		return nil
	}
	return a.elements[first]
}

func newKeyIndex(elements []*yaml.Node, names []string) keyIndex {
	out := keyIndex{first: map[string]int{}}
	for i, e := range elements {
		present := make([]bool, len(names))
		for at, name := range names {
			present[at] = yamlnode.Field(e, name) != nil
		}
		if names != nil && !slices.Contains(present, true) {
			continue
		}
		if !slices.ContainsFunc(out.present, func(other []bool) bool { return slices.Equal(other, present) }) {
			out.present = append(out.present, present)
		}
		text := keyText(e, names, present)
		if _, found := out.first[text]; !found {
			out.first[text] = i
		}
	}
	return out
}

// keyText returns a text of the present parts of a key, or of the element of a set.
func keyText(e *yaml.Node, names []string, present []bool) string {
	if names == nil {
		return managed.JSON(e)
	}
	var b strings.Builder
	for at, name := range names {
		if v := yamlnode.Field(e, name); present[at] && v != nil {
			b.WriteString(managed.JSON(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
