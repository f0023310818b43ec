package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

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
