package live

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Object is a resource of the config or of the cluster. Its ID is that of its
// metadata (design 13): namespaces are defaulted, and what is cluster-scoped has
// none.
type Object struct {
	ID   identity.ID
	Node *yaml.Node
}

// annotation is the value of an annotation, and whether the object has it: an empty
// value is not a missing one.
func (o Object) annotation(name string) (value string, found bool) {
	v := yamlnode.Field(yamlnode.Annotations(o.Node), name)
	return yamlnode.Text(v), v != nil
}

// text is the value of a field that holds a string, "" if there is none.
func (o Object) text(names ...string) string {
	return yamlnode.Text(yamlnode.Lookup(o.Node, names...))
}

// groupKind is what a kind is called among all groups.
type groupKind struct{ group, kind string }

func (o Object) groupKind() groupKind { return groupKind{o.ID.Group, o.ID.Kind} }

func (o Object) isNamespace() bool { return o.groupKind() == groupKind{"", "Namespace"} }

// defines is the kind that a CustomResourceDefinition defines.
func (o Object) defines() (groupKind, bool) {
	if o.groupKind() != (groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}) {
		return groupKind{}, false
	}
	defined := groupKind{o.text("spec", "group"), o.text("spec", "names", "kind")}
	return defined, defined.kind != ""
}

// byID finds objects by their IDs; the first of an ID counts.
func byID(objects []Object) map[identity.ID]int {
	at := make(map[identity.ID]int, len(objects))
	for i, o := range objects {
		if _, found := at[o.ID]; !found {
			at[o.ID] = i
		}
	}
	return at
}
