package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

const (
	origin   = identity.Origin
	upstream = identity.Upstream
	local    = identity.Local
)

// collator is phase 1 of the merge: it lays the three versions of a value side
// by side.
type collator struct {
	kind schema.Resource
	// apiVersion and kindName are those of the resource.
	apiVersion, kindName string
}

// resource collates the versions of a resource, or of what stands in for one.
func (c collator) resource(versions [3]*yaml.Node) *element {
	e := &element{value: versions, typ: c.kind.Type}
	c.apiVersion, c.kindName = ResultKind(versions)
	e.migration = c.migrationOf(e)
	c.collate(e)
	return e
}

// collate is total: whatever the sides hold has a form and a place.
func (c collator) collate(e *element) {
	switch e.kind() {
	case yaml.MappingNode:
		if !atomic(e.typ) {
			e.form = mapping
			c.embedded(e).podTemplate(e).collateMap(e)
		}
	case yaml.SequenceNode:
		if id, keys := c.identifier(e); id != nil {
			e.form = keyed
			c.collateList(e, id, keys)
		}
	}
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
	e.typ = c.kind.Type
	e.migration = c.migrationOf(e)
	return c
}

// podTemplate is the collator for what is below e: one that knows Pods if e is
// a struct template that has spec.containers, in a kind about which not
// everything is known (DESIGN 3.7), such as a Rollout or a Knative Service. Its form
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
	containers := lookup(template, []string{"spec", "containers"})
	return containers != nil && containers.Kind == yaml.SequenceNode
}

func atomic(typ *schema.Type) bool { return typ != nil && typ.Relation == schema.Atomic }

// kind is the node kind in which the element's versions can be merged part by
// part, or 0 if it is decided whole. Upstream's and local's version must be of
// that kind as far as they are there; origin's counts as absent if it is of
// another. With one version alone there is nothing to merge, unless something
// beside it has a say.
func (e *element) kind() yaml.Kind {
	u, l := e.effective(upstream), e.effective(local)
	versions := 0
	kind := yaml.Kind(0)
	for _, n := range [2]*yaml.Node{u, l} {
		if n == nil {
			continue
		}
		if kind != 0 && kind != n.Kind {
			return 0
		}
		kind = n.Kind
		versions++
	}
	if e.has(origin) && e.value[origin].Kind == kind {
		versions++
	}
	if versions < 2 && !e.apart {
		return 0
	}
	return kind
}

// parts is a side's value if it is of the element's kind, to be merged part by
// part.
func (e *element) parts(side identity.Side, kind yaml.Kind) []*yaml.Node {
	n := e.effective(side)
	if n == nil || n.Kind != kind {
		return nil
	}
	return n.Content
}

// collateMap makes a child of each key that a side has.
func (c collator) collateMap(e *element) {
	index := map[value]int{}
	var children []*element
	for _, side := range [3]identity.Side{local, upstream, origin} {
		content := e.parts(side, yaml.MappingNode)
		for i := 0; i+1 < len(content); i += 2 {
			name := valueOf(content[i])
			at, found := index[name]
			if !found {
				at = len(children)
				index[name] = at
				children = append(children, &element{path: e.path.Field(content[i].Value)})
			}
			children[at].key[side], children[at].value[side] = content[i], content[i+1]
			e.order[side] = append(e.order[side], at)
		}
	}
	for _, child := range children {
		name := child.path.field
		child.typ = e.typ.Field(name)
		child.migration = e.migration.below(child.typ, e.migration.was.Field(name))
		child.apart = e.typ != nil && slices.Contains(e.typ.Apart, name)
		child.foreign = e.migration.lacks(child, e.typ)
		c.collate(child)
	}
	e.children = children
}
