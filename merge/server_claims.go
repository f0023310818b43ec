package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
)

const managedFields = "managedFields"

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
