package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// collator collates: it lays the three versions of a value side by side.
type collator struct {
	rules ThreeWay
	kind  schema.Resource
	// added means that origin lacks the resource.
	added bool
	// rekeys means that an element may be another version of one with another key.
	rekeys bool
	// nulls means that a null deletes only fields that a schema describes (rules/fields: null), and not any field.
	nulls bool
	// splitsAll means that a value of one side alone has its parts as elements, too.
	splitsAll bool
	// unequal finds the values that all sides have alike, whose parts become no elements; nil if all parts do.
	unequal unequal
	// owned lists the owners of the resource and its fields.
	owned []owned
	// apiVersion and kindName are the resource's.
	apiVersion, kindName string
}

// embedded returns the collator for the fields of e: another one if e is a resource of a kind of its own.
func (c collator) embedded(e *element) collator {
	if e.typ == nil || !e.typ.Embedded {
		return c
	}
	list := c
	if c.apiVersion, c.kindName = ResultKind(e.value); c.kindName == "" {
		c.apiVersion, c.kindName = list.itemKind()
	}
	c.kind = c.kind.Embedded(identity.Group(c.apiVersion), identity.Version(c.apiVersion), c.kindName)
	e.typ, e.described = c.kind.Type, false
	e.migration = c.migrationOf(e)
	return c
}

// podTemplate returns the collator for the fields of e: one that knows Pods if e is a struct template with
// spec.containers in a kind that is not known completely (rules/unions: pod templates of unknown kinds), such as a
// Rollout or a Knative Service. Each version of the kind has the same type of Pods.
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

// hasContainers reports whether a value looks like a PodTemplateSpec.
func hasContainers(template *yaml.Node) bool {
	containers := yamlnode.Lookup(template, "spec", "containers")
	return containers != nil && containers.Kind == yaml.SequenceNode
}

// describe notes whether a schema describes a child of an element (rules/fields: null): any part of a value that is
// described as a whole, else a field that the type names. An element of a list is not a field: a null there is a value.
func (c collator) describe(child, of *element) {
	child.described = of.described || of.typ.Describes() == schema.All
	known := child.described || child.typ.Describes() != schema.Nothing
	child.nullIsValue = c.nulls && (of.form != mapping || c.kindName == "" || c.kind.NullIsValue || !known)
}

// itemKind returns the kind of list items that do not name it: Role in a RoleList. The items of a List name it.
func (c collator) itemKind() (apiVersion, kind string) {
	if kind = strings.TrimSuffix(c.kindName, "List"); kind == c.kindName || kind == "" {
		return "", ""
	}
	return c.apiVersion, kind
}

func (c collator) migrationOf(e *element) migration {
	o, u, l := kindOf(e.value[origin]), kindOf(e.value[upstream]), kindOf(e.value[local])
	if o[0] == "" || u[0] == "" || l[0] == "" || (u[0] == o[0]) == (l[0] == o[0]) {
		return migration{}
	}
	m := migration{by: upstream, oldType: c.kind.Embedded(identity.Group(o[0]), identity.Version(o[0]), o[1]).Type}
	if l[0] != o[0] {
		m.by = local
	}
	return m
}

func (c collator) resource(versions [3]*yaml.Node) *element {
	e := &element{value: versions, typ: c.kind.Type, resource: true, added: c.added, owned: c.owned, rules: &c.rules, removable: !c.rules.RemovalsCollide}
	c.rules.asks = new(int)
	c.apiVersion, c.kindName = ResultKind(versions)
	e.migration = c.migrationOf(e)
	c.collate(e)
	return e
}

// collate gives an element its form and its children, recursively. Every value has a form.
func (c collator) collate(e *element) {
	if e.equal = !e.exclusive && e.migration.by == origin && c.unequal.isEqual(e); e.equal {
		return
	}
	switch e.kind(c.splitsAll) {
	case yaml.MappingNode:
		if isAtomic(e.typ) {
			break
		}
		e.form = mapping
		c = c.embedded(e).podTemplate(e)
		if e.resource && c.rekeys && c.kind.IsClusterScoped(identity.Group(c.apiVersion), c.kindName) {
			e.value[origin] = agreeOnNamespace(e.value)
		}
		collateMap(e)
	case yaml.SequenceNode:
		if id, keys := c.identifier(e); id != nil {
			e.form = associative
			collateList(e, id, keys, c.rekeys)
		}
	}
	rules := e.rules
	if e.effective(upstream) == nil || e.effective(local) == nil {
		without := *rules // a side removed the field with everything around it
		without.IgnoreSetters, rules = true, &without
	}
	if e.bothAdded() {
		_, e.contained = e.longer()
	}
	if e.form == mapping {
		e.passSetters()
	}
	disputed := e.disputed || e.isDisputed()
	for _, child := range e.children {
		child.orphan = e.orphan || e.added && !e.contained
		child.disputed, child.joined = disputed && !e.isMapOfNames(), e.joined || e.bothAdded() && !e.contained
		child.rules = rules
		child.owned = e.ownedBelow(child)
		child.removable = e.form == associative && child.resource && !e.guessed && !c.rules.RemovalsCollide
		c.describe(child, e)
		child.united = e.resource && c.isPermissions(child)
		child.foreign = e.form == mapping && e.migration.lacks(child, e.typ)
		switch {
		case !child.unkeyed:
			c.collate(child)
			child.setDefaults()
		case c.splitsAll && child.has(upstream): // elements with the same key are on another side
			child.typ = e.typ.Element()
			c.collate(child)
		}
	}
}

// isPermissions reports whether a field of a resource lists what somebody may do, or who may do it.
func (c collator) isPermissions(field *element) bool {
	if identity.Group(c.apiVersion) != "rbac.authorization.k8s.io" || field.path == nil {
		return false
	}
	isRole, isBinding := c.kindName == "Role" || c.kindName == "ClusterRole", c.kindName == "RoleBinding" || c.kindName == "ClusterRoleBinding"
	return isRole && field.path.field == "rules" || isBinding && field.path.field == "subjects"
}

// isAtomic reports whether a value is decided whole by its schema.
func isAtomic(typ *schema.Type) bool { return typ != nil && typ.Relation == schema.Atomic }

// collateMap makes a child of each key that a side has.
func collateMap(e *element) {
	var sides [3][]*yaml.Node
	most := 0
	for _, side := range identity.Sides() {
		sides[side] = e.parts(side, yaml.MappingNode)
		most = max(most, len(sides[side])/2)
	}
	known := keyIndex{list: make([]value, 0, most)}
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
	for _, child := range children {
		name := child.path.field
		child.typ = e.typ.Field(name)
		child.migration = e.migration.below(child.typ, e.migration.oldType.Field(name))
		child.exclusive = e.typ != nil && slices.Contains(e.typ.Apart, name)
	}
}

// keyedNode is an element of one side's list with its key.
type keyedNode struct {
	node *yaml.Node
	key  elementKey
	ok   bool
}

// collateList makes a child of each key that a side has. Elements without a key, and elements whose key a side has
// more than once, become unkeyed children, each on its side alone (rules/lists: duplicate keys).
func collateList(e *element, id identify, keys []schema.Key, rekeys bool) {
	var sides [3][]keyedNode
	duplicate := map[string]bool{}
	for side, list := range e.lists() {
		sides[side] = readKeys(list, id, duplicate)
	}
	index := map[string]int{}
	for _, side := range [3]identity.Side{local, upstream, origin} {
		for _, k := range sides[side] {
			at, found := index[k.key.text]
			unkeyed := !k.ok || duplicate[k.key.text]
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
			child.migration = e.migration.below(child.typ, e.migration.oldType.Element())
		}
	}
}

// readKeys reads the keys of one side's elements, and notes the duplicate keys.
func readKeys(content []*yaml.Node, id identify, duplicate map[string]bool) []keyedNode {
	nodes := make([]keyedNode, len(content))
	seen := make(map[string]bool, len(content))
	for i, n := range content {
		key, ok := id(n)
		nodes[i] = keyedNode{node: n, key: key, ok: ok}
		if ok && seen[key.text] {
			duplicate[key.text] = true
		}
		seen[key.text] = seen[key.text] || ok
	}
	return nodes
}

// migration is a change of a resource's apiVersion by one side alone. That side's apiVersion wins, whatever the policy,
// like the switch of a union. If the other side has fields that the new version lacks, or both sides changed an atomic
// list or struct, that is a conflict (rules/resources: a new apiVersion). There is no migration if both versions have
// the same type.
//
// The schema tells which fields the new version lacks if it knows them in the old one; else the side removed them.
type migration struct {
	by      identity.Side // origin if there is none
	oldType *schema.Type
}

// below returns the migration of a part with a type in each version.
func (m migration) below(newType, oldType *schema.Type) migration {
	if m.by == origin || newType != nil && newType == oldType {
		return migration{}
	}
	return migration{by: m.by, oldType: oldType}
}

// HasForeign reports whether a value of the old type has a field that the new type lacks
// (rules/resources: a new apiVersion).
func HasForeign(n *yaml.Node, oldType, newType *schema.Type) bool {
	if n == nil || oldType == nil || oldType == newType {
		return false
	}
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && HasForeign(c, oldType.Element(), newType.Element()):
			return true
		case n.Kind != yaml.MappingNode || i%2 == 1:
		case knows(oldType, c.Value) && isStruct(newType) && !knows(newType, c.Value),
			HasForeign(n.Content[i+1], oldType.Field(c.Value), newType.Field(c.Value)):
			return true
		}
	}
	return false
}

func knows(typ *schema.Type, name string) bool {
	if typ == nil {
		return false
	}
	if len(typ.Names) > 0 {
		return slices.Contains(typ.Names, name)
	}
	_, known := typ.Fields[name]
	return known
}

// isStruct reports whether a type has a fixed set of fields.
func isStruct(typ *schema.Type) bool {
	return typ != nil && (len(typ.Fields) > 0 || len(typ.Names) > 0) && typ.Elem == nil
}

// lacks reports whether the new type of a struct lacks the field.
func (m migration) lacks(field *element, newType *schema.Type) bool {
	if m.by == origin || field.effective(m.by) != nil {
		return false
	}
	name := field.path.field
	if field.has(origin) {
		return !knows(newType, name)
	}
	other := field.effective(otherSide(m.by))
	return knows(m.oldType, name) && isStruct(newType) && !knows(newType, name) || HasForeign(other, field.migration.oldType, field.typ)
}

// migrated reports whether a side gave an atomic element the type of another apiVersion. Scalars have one type
// in all versions.
func (e *element) migrated() bool {
	u, l := e.effective(upstream), e.effective(local)
	scalars := u != nil && l != nil && u.Kind == yaml.ScalarNode && l.Kind == yaml.ScalarNode
	return e.migration.by != origin && !scalars
}
