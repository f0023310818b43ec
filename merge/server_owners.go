package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// writeOwners puts the new managedFields into the decision of an object: M owns what config
// has, and the others what is left of theirs (rules/server-side-apply: written
// managedFields).
func (r *serving) writeOwners(e *element, d *decision, m marks) {
	gone := managed.Union(m.set.Set(), m.lost.Set())
	var entries managed.Entries
	for _, o := range e.owned {
		switch {
		case o.by.Same(r.owner):
			entries = append(entries, *o.by)
		case r.leaves(o.by):
		default:
			left := *o.by
			left.Fields = managed.Difference(o.fields, gone)
			entries = append(entries, left)
		}
		r.otherVersion(e, d, o)
	}
	r.updateLastApplied(e, d)
	entries = entries.With(r.owner, managed.Difference(r.claims, unclaimed()))
	d.put(e, []string{"metadata", managedFields}, slices.DeleteFunc(entries, func(e managed.Entry) bool { return e.Fields.Empty() }).Node())
}

// otherVersion says once that managers own fields in another apiVersion
// (rules/server-side-apply: another apiVersion).
func (r *serving) otherVersion(e *element, d *decision, o owned) {
	if o.by.APIVersion != r.owner.APIVersion && !slices.ContainsFunc(d.remarks, func(r Remark) bool { return r.Kind == OtherVersions }) {
		d.remark(OtherVersions, e)
	}
}

const managedFields = "managedFields"

// claims is what config says of an element, and thereby owns.
func (e *element) claims(named bool) *managed.Set {
	u := e.value[upstream]
	if u == nil {
		return nil
	}
	b := managed.Builder{Member: !named || e.form == atomic || yamlnode.IsNull(u) || u.Kind == yaml.MappingNode && isBare(u)}
	for _, c := range e.children {
		b.Add(c.path.step(), c.claims(c.isNamed(e)))
	}
	return b.Set()
}

// unclaimed are the fields that say which object it is, and those that the server keeps
// itself: nobody comes to own them by an apply.
func unclaimed() *managed.Set {
	paths := []managed.Path{{managed.Field("apiVersion")}, {managed.Field("kind")}, {managed.Field("metadata")}}
	for _, name := range [...]string{
		"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", managedFields, "resourceVersion",
	} {
		paths = append(paths, managed.Path{managed.Field("metadata"), managed.Field(name)})
	}
	return managed.Of(paths...)
}

// isNamed reports whether an element is a field of a struct. Of what no schema knows all
// fields are taken for such.
func (e *element) isNamed(in *element) bool {
	if in.form != mapping {
		return false
	}
	if in.typ == nil || in.typ.Elem == nil {
		return true
	}
	_, known := in.typ.Fields[e.path.field]
	return known
}

// lastAppliedName is the annotation in which client-side apply keeps what it was given.
const lastAppliedName = "kubectl.kubernetes.io/last-applied-configuration"

func lastAppliedPath() managed.Path {
	return managed.Path{managed.Field("metadata"), managed.Field("annotations"), managed.Field(lastAppliedName)}
}

// lastApplied is what client-side apply was given last, where it counts: for M = kubectl, in
// the apiVersion of config (rules/server-side-apply: after client-side apply). It has no
// nulls, which equal nothing live.
func lastApplied(manager string, versions [3]*yaml.Node) *yaml.Node {
	if manager != "kubectl" {
		return nil
	}
	doc := manifest.ParseJSON([]byte(yamlnode.Annotation(versions[local], lastAppliedName)))
	if doc == nil {
		return nil
	}
	last, err := prepare(doc.Content[0])
	if err != nil || kindOf(last)[0] != kindOf(versions[upstream])[0] {
		return nil
	}
	return unnulled(last)
}

// wasApplied reports whether live has an element as client-side apply was given it last: then
// kubectl may set it, whoever owns it (rules/server-side-apply: after client-side apply). An
// empty list with keys says nothing.
func (r *serving) wasApplied(e *element) bool {
	o, l := e.value[origin], e.value[local]
	if o == nil || l == nil || e.form == associative && isBare(o) {
		return false
	}
	return e.form != atomic || same(nil, o, l)
}

// saveLastApplied gives the annotation of a live object an owner, so that it stays when
// client-side apply's entry becomes M's; only M = kubectl does that.
func saveLastApplied(manager string, entries managed.Entries, versions [3]*yaml.Node) managed.Entries {
	annotation := yamlnode.Lookup(versions[local], "metadata", "annotations", lastAppliedName)
	if manager != "kubectl" || annotation == nil {
		return entries
	}
	for _, e := range entries {
		if e.Operation == managed.Apply && e.Fields.At(lastAppliedPath()).Member() {
			return entries
		}
	}
	saver := managed.Owner{Manager: "kubectl-last-applied", Operation: managed.Apply, APIVersion: kindOf(versions[upstream])[0]}
	return entries.With(saver, managed.Of(lastAppliedPath()))
}

// updateLastApplied puts config into the annotation, where live has one that is not empty,
// as the server does for M = kubectl.
func (r *serving) updateLastApplied(e *element, d *decision) {
	was := yamlnode.Annotation(e.value[local], lastAppliedName)
	if r.manager != "kubectl" || was == "" {
		return
	}
	text := yamlnode.String(lastAppliedText(e.value[upstream]))
	text.Style = yaml.LiteralStyle
	d.put(e, []string{"metadata", "annotations", lastAppliedName}, text)
}

// lastAppliedText is the annotation for a config, without the annotation itself. Unlike
// kubectl, the server adds no empty map of annotations, and makes a text of one that is null.
func lastAppliedText(config *yaml.Node) string {
	metadata := yamlnode.Field(config, "metadata")
	annotations := yamlnode.Field(metadata, "annotations")
	switch {
	case annotations == nil:
	case annotations.Kind != yaml.MappingNode:
		metadata = yamlnode.Without(metadata, func(name string) bool { return name == "annotations" })
		config = yamlnode.Put(config, nil, "metadata", metadata)
	default:
		annotations = texts(yamlnode.Without(annotations, func(name string) bool { return name == lastAppliedName }))
		config = yamlnode.Put(config, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", annotations))
	}
	return managed.JSON(config) + "\n"
}

// texts is a map of strings as the server reads it.
func texts(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, v := range out.Content {
		if i%2 == 1 && yamlnode.IsNull(v) {
			out.Content[i] = yamlnode.String("")
		}
	}
	return &out
}

// ownedBelow is who owns a child of the element, or something below it. Whoever owns
// nothing there is not listed.
func (e *element) ownedBelow(child *element) []owned {
	if len(e.owned) == 0 {
		return nil
	}
	var out []owned
	step := child.path.step()
	for _, o := range e.owned {
		if below := o.fields.Below(step); below != nil {
			out = append(out, owned{by: o.by, fields: below})
		}
	}
	return out
}

// ownedAs says how a list of which no schema knows is told apart by those who own its
// elements: as a set, or by keys.
func (e *element) ownedAs() (relation schema.Relation, keys []schema.Key) {
	for _, o := range e.owned {
		for step := range o.fields.Children() {
			if step.IsValue() {
				return schema.Set, nil
			}
			for _, name := range step.KeyNames() {
				keys = append(keys, schema.Key{Name: name})
			}
			return schema.ListMap, keys
		}
	}
	return schema.Granular, nil
}

// ownedIn is what a set owns of a value of a type. What was owned part by part, before the
// schema had it as one field, is owned as a whole.
func ownedIn(typ *schema.Type, s *managed.Set) *managed.Set {
	if typ == nil || !s.HasBelow() {
		return s
	}
	if typ.Relation == schema.Atomic {
		return managed.Of(nil)
	}
	out := managed.Builder{Member: s.Member()}
	for step, below := range s.Children() {
		of := typ.Element()
		if name, isField := step.FieldName(); isField {
			of = typ.Field(name)
		}
		out.Add(step, ownedIn(of, below))
	}
	return out.Set()
}

// step is the last step of a path, as managedFields write it.
func (p *Path) step() managed.Step {
	if p.keys == nil {
		return managed.Field(p.field)
	}
	if len(p.keys) == 1 && p.keys[0].Name == "" {
		return managed.Value(p.keys[0].Value)
	}
	parts := make([]managed.KeyPart, len(p.keys))
	for i, k := range p.keys {
		parts[i] = managed.KeyPart(k)
	}
	return managed.Key(parts...)
}

// owned is what somebody owns of an element and below it.
type owned struct {
	by     *managed.Entry
	fields *managed.Set
}
