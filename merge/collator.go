package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// collator is phase 1 of the merge: it lays the three versions of a value side
// by side.
type collator struct {
	kind schema.Resource
	// added says that origin lacks the resource.
	added bool
	// rekeys says that an element may be another version of one with another key.
	rekeys bool
	// nulls says that a null removes the fields alone that a schema describes (design 3,
	// Null): else it removes any.
	nulls bool
	// wholeImages says that a container image is one value.
	wholeImages bool
	// removable says that local may remove a resource for good.
	removable bool
	// localFirst says that of what both sides add at one place local's comes first.
	localFirst bool
	// moves are the namespaces that local replaced, as the rest of the package shows them.
	moves []identity.Move
	// alone says that what one side alone has is laid out in parts, too.
	alone bool
	// owned is who owns what of the resource.
	owned []owned
	// apiVersion and kindName are those of the resource.
	apiVersion, kindName string
}

// embedded is the collator for what is below e: another one if e is a resource
// of a kind of its own.
func (c collator) embedded(e *element) collator {
	if e.typ == nil || !e.typ.Embedded {
		return c
	}
	listed := c
	if c.apiVersion, c.kindName = ResultKind(e.value); c.kindName == "" {
		c.apiVersion, c.kindName = listed.itemKind()
	}
	c.kind = c.kind.Embedded(identity.Group(c.apiVersion), identity.Version(c.apiVersion), c.kindName)
	e.typ, e.described = c.kind.Type, false
	e.migration = c.migrationOf(e)
	return c
}

// podTemplate is the collator for what is below e: one that knows Pods if e is
// a struct template that has spec.containers, in a kind about which not
// everything is known (design 3.7), such as a Rollout or a Knative Service. Its type
// is that of a Pod in each version of the kind.
func (c collator) podTemplate(e *element) collator {
	if e.path == nil || e.path.field != "template" || !slices.ContainsFunc(e.value[:], hasContainers) {
		return c
	}
	if typ, ok := c.kind.PodTemplate(e.typ); ok {
		e.typ, c.kind.Infer = typ, false
		e.migration = migration{}
	}
	return c
}

// hasContainers reports whether a value has the shape of a PodTemplateSpec.
func hasContainers(template *yaml.Node) bool {
	containers := yamlnode.Lookup(template, "spec", "containers")
	return containers != nil && containers.Kind == yaml.SequenceNode
}

// describe says of a part of a value whether a schema describes it (design 3, Null): all
// of a value that is described as a whole, and of any other the fields that the type
// names. An element of a list is no field, and a null there is a value.
func (c collator) describe(part, of *element) {
	within := of.described || of.typ.Describes() == schema.All
	part.described = within
	known := within || part.typ.Describes() != schema.Nothing
	part.nullIsValue = c.nulls && (of.form != mapping || c.kindName == "" || c.kind.NullIsValue || !known)
}

// itemKind is what the items of a list of a kind are where they do not say it:
// Role in a RoleList. In a List they say it.
func (c collator) itemKind() (apiVersion, kind string) {
	if kind = strings.TrimSuffix(c.kindName, "List"); kind == c.kindName || kind == "" {
		return "", ""
	}
	return c.apiVersion, kind
}

// migrationOf finds the migration of a resource.
func (c collator) migrationOf(e *element) migration {
	o, u, l := kindOf(e.value[origin]), kindOf(e.value[upstream]), kindOf(e.value[local])
	m := migration{by: upstream}
	switch {
	case o[0] == "" || u[0] == "" || l[0] == "" || (u[0] == o[0]) == (l[0] == o[0]):
		return migration{}
	case l[0] != o[0]:
		m.by = local
	}
	m.was = c.kind.Embedded(identity.Group(o[0]), identity.Version(o[0]), o[1]).Type
	return m
}
