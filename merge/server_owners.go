package merge

import (
	"encoding/json"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// writeOwners puts the new managedFields into the decision about an object: M owns config's fields, and the others
// keep the rest of theirs (rules/server-side-apply: written managedFields).
func (a *serverApply) writeOwners(e *element, d *decision, m changes) {
	gone := managed.Union(m.set.Set(), m.removed.Set())
	var entries managed.Entries
	claims, otherVersion := a.claims, false
	for _, o := range e.owned {
		entry := *o.by
		switch {
		case o.by.Same(a.owner):
			entries = append(entries, entry)
		case !a.isClient(o.by):
			entry.Fields = managed.Difference(o.fields, gone)
			entries = append(entries, entry)
		case a.isFirst && a.isTakenOver(o.by):
			claims = managed.Union(claims, managed.Difference(o.fields, gone))
		}
		otherVersion = otherVersion || o.by.APIVersion != a.owner.APIVersion
	}
	if otherVersion { // rules/server-side-apply: another apiVersion
		d.remark(OtherVersions, e)
	}
	a.updateLastApplied(e, d)
	entries = entries.With(a.owner, managed.Difference(claims, unclaimed()))
	d.put(e, []string{"metadata", managedFields}, slices.DeleteFunc(entries, func(e managed.Entry) bool { return e.Fields.Empty() }).Node())
}

const managedFields = "managedFields"

// claims returns the fields in config, which M thereby owns.
func (e *element) claims(named bool) *managed.Set {
	return e.fields(named, func(*element) bool { return false })
}

// updated returns the fields of a new object that is not applied: also its maps of any names, and its keyed lists.
func (e *element) updated(named bool) *managed.Set {
	return e.fields(named, func(e *element) bool { return e.form == associative || isPlainMap(e.typ) })
}

// fields returns the fields in config, and the containers that are fields themselves.
func (e *element) fields(named bool, isField func(*element) bool) *managed.Set {
	u := e.value[upstream]
	if u == nil {
		return nil
	}
	b := managed.Builder{Member: !named || e.form == atomic || yamlnode.IsNull(u) || u.Kind == yaml.MappingNode && isBare(u) || isField(e)}
	for _, c := range e.children {
		b.Add(c.path.step(), c.fields(c.isNamed(e), isField))
	}
	return b.Set()
}

// unclaimed returns the fields that identify the object or that only the server writes: an apply does not own them.
func unclaimed() *managed.Set {
	paths := []managed.Path{{managed.Field("apiVersion")}, {managed.Field("kind")}, {managed.Field("metadata")}}
	for _, name := range [...]string{
		"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", managedFields, "resourceVersion",
	} {
		paths = append(paths, managed.Path{managed.Field("metadata"), managed.Field(name)})
	}
	return managed.Of(paths...)
}

// isNamed reports whether an element is a field of a struct. Without a schema, all fields are.
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

// lastAppliedName is the annotation with the last config of client-side apply.
const lastAppliedName = "kubectl.kubernetes.io/last-applied-configuration"

func lastAppliedPath() managed.Path {
	return managed.Path{managed.Field("metadata"), managed.Field("annotations"), managed.Field(lastAppliedName)}
}

// lastApplied returns the last config of client-side apply, if it counts: for M = kubectl, in the apiVersion of
// config (rules/server-side-apply: after client-side apply). It has no nulls, which equal nothing live.
func lastApplied(manager string, versions [3]*yaml.Node) *yaml.Node {
	if manager != "kubectl" {
		return nil
	}
	text := []byte(yamlnode.Annotation(versions[local], lastAppliedName) + "\n")
	root := manifest.DocumentTree(text)
	if root == nil || !json.Valid(text) {
		return nil
	}
	last, err := Expand(root)
	if err != nil || kindOf(last)[0] != kindOf(versions[upstream])[0] {
		return nil
	}
	return unnulled(last)
}

// wasApplied reports whether live has an element as in the last client-side apply: then kubectl may set it, whoever
// owns it (rules/server-side-apply: after client-side apply). An empty list with keys does not count.
func (a *serverApply) wasApplied(e *element) bool {
	o, l := e.value[origin], e.value[local]
	if o == nil || l == nil || e.form == associative && isBare(o) {
		return false
	}
	return e.form != atomic || same(nil, o, l)
}

// saveLastApplied gives the annotation of client-side apply an owner, so that it stays when client-side apply's entry
// becomes M's; only M = kubectl does that.
func saveLastApplied(manager string, entries managed.Entries, versions [3]*yaml.Node) managed.Entries {
	annotation := yamlnode.Lookup(versions[local], "metadata", "annotations", lastAppliedName)
	owned := func(e managed.Entry) bool {
		return e.Operation == managed.Apply && e.Fields.At(lastAppliedPath()).Member()
	}
	if manager != "kubectl" || annotation == nil || slices.ContainsFunc(entries, owned) {
		return entries
	}
	saver := managed.Owner{Manager: "kubectl-last-applied", Operation: managed.Apply, APIVersion: kindOf(versions[upstream])[0]}
	return entries.With(saver, managed.Of(lastAppliedPath()))
}

// updateLastApplied writes config into the annotation if live's is not empty, as the server does for M = kubectl.
func (a *serverApply) updateLastApplied(e *element, d *decision) {
	if a.manager != "kubectl" || yamlnode.Annotation(e.value[local], lastAppliedName) == "" {
		return
	}
	config := e.value[upstream]
	if list := yamlnode.Lookup(e.value[local], "metadata", managedFields); a.sent != nil && list != nil && len(list.Content) > 0 {
		config = a.sent
	}
	text := yamlnode.String(lastAppliedText(config))
	text.Style = yaml.LiteralStyle
	d.put(e, []string{"metadata", "annotations", lastAppliedName}, text)
}

// lastAppliedText returns the annotation for a config, without the annotation itself. Unlike kubectl, the
// server adds no empty map of annotations, and reads a null annotation as an empty text.
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

// texts returns a map of strings as the server reads it.
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

// ownedBelow returns the owners of a child of the element, or of something below it.
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

// ownedAs returns the relation and keys of a list that no schema knows from the owners of its elements.
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

// ownedIn returns the fields of a set in a value of a type. If the type is atomic, owning a part of the value
// means owning all of it: an older schema may have had parts.
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

// step returns the last step of a path in the form of managedFields.
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

// owned has an owner of an element, and the owned fields at the element and below it.
type owned struct {
	by     *managed.Entry
	fields *managed.Set
}
