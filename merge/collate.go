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
	// nulls says that a null removes the fields alone that a schema describes
	// (rules/fields: null): else it removes any.
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

// podTemplate is the collator for what is below e: one that knows Pods if e is a struct
// template that has spec.containers, in a kind about which not everything is known
// (rules/unions: pod templates of unknown kinds), such as a Rollout or a Knative
// Service. Its type is that of a Pod in each version of the kind.
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

// describe says of a part of a value whether a schema describes it (rules/fields: null):
// all of a value that is described as a whole, and of any other the fields that the type
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

// resource collates the versions of a resource, or of what stands in for one.
func (c collator) resource(versions [3]*yaml.Node) *element {
	e := &element{value: versions, typ: c.kind.Type, resource: true, added: c.added, owned: c.owned, removable: c.removable}
	c.apiVersion, c.kindName = ResultKind(versions)
	e.migration = c.migrationOf(e)
	c.collate(e)
	return e
}

// collate gives an element its form and its children, and these theirs. It is
// total: whatever the sides hold has a form and a place.
func (c collator) collate(e *element) {
	e.localFirst = c.localFirst
	switch e.kind(c.alone) {
	case yaml.MappingNode:
		if !isAtomic(e.typ) {
			e.form = mapping
			c = c.embedded(e).podTemplate(e)
			if e.resource && c.rekeys && c.kind.IsClusterScoped(identity.Group(c.apiVersion), c.kindName) {
				e.value[origin] = agreeOnNamespace(e.value)
			}
			collateMap(e)
		}
	case yaml.SequenceNode:
		if id, keys := c.identifier(e); id != nil {
			e.form = associative
			collateList(e, id, keys, c.rekeys)
			if e.typ != nil && e.typ.Relation == schema.Resources && !e.guessed {
				e.setRemovable(c.removable)
			}
		}
	}
	for _, child := range e.children {
		child.orphan = e.orphan || e.added
		child.wholeImage = c.wholeImages
		child.owned = e.ownedBelow(child)
		c.describe(child, e)
		switch {
		case child.whole:
		case !child.unkeyed:
			c.collate(child)
			child.setFallbacks()
		case c.alone && child.has(upstream): // the others of its key are on another side
			child.typ = e.typ.Element()
			c.collate(child)
		}
	}
}

// isAtomic reports whether the schema has a value decided whole.
func isAtomic(typ *schema.Type) bool { return typ != nil && typ.Relation == schema.Atomic }

// collateMap makes a child of each key that a side has.
func collateMap(e *element) {
	var sides [3][]*yaml.Node
	most := 0
	for _, side := range identity.Sides() {
		sides[side] = e.parts(side, yaml.MappingNode)
		most = max(most, len(sides[side])/2)
	}
	known := names{list: make([]value, 0, most)}
	children, room := make([]*element, 0, most), make([]element, most)
	for _, side := range [3]identity.Side{local, upstream, origin} {
		content := sides[side]
		known.next = 0
		e.order[side] = make([]int, 0, len(content)/2)
		for i := 0; i+1 < len(content); i += 2 {
			at, found := known.find(valueOf(content[i]))
			if !found {
				at = len(children)
				known.add(valueOf(content[i]))
				if len(room) == 0 {
					room = make([]element, 4)
				}
				room[0].path = e.path.Field(content[i].Value)
				children, room = append(children, &room[0]), room[1:]
			}
			children[at].key[side], children[at].value[side] = content[i], content[i+1]
			e.order[side] = append(e.order[side], at)
		}
	}
	e.children = children
	e.typeFields()
}

// typeFields tells the fields of a map what the schema says of them.
func (e *element) typeFields() {
	for _, child := range e.children {
		name := child.path.field
		child.typ = e.typ.Field(name)
		child.migration = e.migration.below(child.typ, e.migration.was.Field(name))
		child.apart = e.typ != nil && slices.Contains(e.typ.Apart, name)
		child.foreign = e.migration.lacks(child, e.typ)
	}
}

// keyedNode is an element of one side's list with its key.
type keyedNode struct {
	node *yaml.Node
	key  elementKey
	ok   bool
}

// collateList makes a child of each key that a side has. Elements without a key and
// those whose key a side has twice become unkeyed children, each on its side alone
// (rules/lists: duplicate keys).
func collateList(e *element, id identify, keys []schema.Key, rekeys bool) {
	var sides [3][]keyedNode
	twice := map[string]bool{}
	for _, side := range identity.Sides() {
		sides[side] = readKeys(e.parts(side, yaml.SequenceNode), id, twice)
	}
	index := map[string]int{}
	for _, side := range [3]identity.Side{local, upstream, origin} {
		for _, k := range sides[side] {
			at, found := index[k.key.text]
			unkeyed := !k.ok || twice[k.key.text]
			if unkeyed || !found {
				at = len(e.children)
				e.children = append(e.children, &element{path: e.path.Element(k.key.parts), unkeyed: unkeyed})
			}
			if !unkeyed {
				index[k.key.text] = at
			}
			e.children[at].value[side] = k.node
			e.order[side] = append(e.order[side], at)
		}
	}
	if rekeys {
		joinRekeyed(e, keys)
	}
	for _, child := range e.children {
		child.keys = keys
		child.added = !child.has(origin) && child.has(upstream) && child.has(local)
		if !child.unkeyed {
			child.typ = e.typ.Element()
			child.resource = e.typ != nil && e.typ.Relation == schema.Resources
			child.migration = e.migration.below(child.typ, e.migration.was.Element())
		}
	}
}

// setRemovable says of the items of a List whether local may remove them for good.
func (e *element) setRemovable(removable bool) {
	for _, child := range e.children {
		child.removable = removable
	}
}

// readKeys reads the keys of one side's elements and notes in twice those that
// occur more than once.
func readKeys(content []*yaml.Node, id identify, twice map[string]bool) []keyedNode {
	nodes := make([]keyedNode, len(content))
	seen := make(map[string]bool, len(content))
	for i, n := range content {
		key, ok := id(n)
		nodes[i] = keyedNode{node: n, key: key, ok: ok}
		if ok && seen[key.text] {
			twice[key.text] = true
		}
		seen[key.text] = seen[key.text] || ok
	}
	return nodes
}
