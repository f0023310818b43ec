package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/managed"
)

// serving is one server-side apply of an object.
type serving struct {
	manager string
	// owner is M.
	owner managed.Owner
	// chosen is whose value an owned field has.
	chosen identity.Side
	// claims is what config says, and what M thereby owns.
	claims *managed.Set
	// leaving are the managers whose entries client-side apply left behind.
	leaving []string
}

func (s ServerSide) serving(e *element) *serving {
	r := &serving{manager: s.manager(), chosen: local}
	if s.Force {
		r.chosen = upstream
	}
	r.owner = managed.Owner{Manager: r.manager, Operation: managed.Apply, APIVersion: kindOf(e.value[upstream])[0]}
	r.claims = e.claims(true)
	if hasStringData(e.value[upstream]) && !e.has(local) { // what placeData put there
		r.claims = managed.Difference(r.claims, managed.Of(managed.Path{managed.Field("data")}))
	}
	for _, o := range e.owned {
		if o.by.Operation == managed.Update && o.by.Subresource == "" && o.fields.At(lastAppliedPath()).Member() {
			r.leaving = append(r.leaving, o.by.Manager)
		}
	}
	return r
}

// claims is what config says of an element, and thereby owns.
func (e *element) claims(named bool) *managed.Set {
	u := e.value[upstream]
	if u == nil {
		return nil
	}
	b := managed.Builder{Member: !named || e.form == atomic || isNull(u) || u.Kind == yaml.MappingNode && isBare(u)}
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

// leaves reports whether an entry is one that client-side apply left behind.
func (r *serving) leaves(e *managed.Entry) bool {
	return e.Operation == managed.Update && e.Subresource == "" && slices.Contains(r.leaving, e.Manager)
}

// isMine reports whether an entry says what M owned before: M's own, and what is left of
// client-side apply in the same apiVersion (design 14, 6).
func (r *serving) isMine(e *managed.Entry) bool {
	return e.Same(r.owner) || r.leaves(e) && e.APIVersion == r.owner.APIVersion
}

// writeOwners puts the new managedFields into the decision of an object: M owns what config
// has, and the others what is left of theirs (design 14, 8).
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

// otherVersion says once that managers own fields in another apiVersion (design 14, 7).
func (r *serving) otherVersion(e *element, d *decision, o owned) {
	if o.by.APIVersion != r.owner.APIVersion && !slices.ContainsFunc(d.remarks, func(r Remark) bool { return r.Kind == OtherVersions }) {
		d.remark(OtherVersions, e)
	}
}

// put makes of the field at a path the value, or nothing if that is nil. The field is an
// element below e; where what it lies in goes, it goes too.
func (d *decision) put(e *element, names []string, v *yaml.Node) {
	for i, c := range e.children {
		switch {
		case d.verdict != MergeParts || c.path.field != names[0]:
		case len(names) > 1:
			d.children[i].put(c, names[1:], v)
		case v == nil:
			d.children[i] = decision{verdict: Drop}
			d.order = slices.DeleteFunc(d.order, func(at int) bool { return at == i })
		default:
			d.children[i] = e.children[i].made(v)
		}
	}
}
