package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// lacks reports whether the struct of a field, in the new version of type now, lacks
// the field.
func (m migration) lacks(field *element, now *schema.Type) bool {
	if m.by == origin || field.effective(m.by) != nil {
		return false
	}
	name := field.path.field
	if field.has(origin) {
		return !knows(now, name)
	}
	other := field.effective(otherSide(m.by))
	return knows(m.was, name) && isStruct(now) && !knows(now, name) || foreign(other, field.migration.was, field.typ)
}

// migrated reports whether a side gave an atomic element the type of another
// apiVersion. A scalar has the same in all.
func (e *element) migrated() bool {
	u, l := e.effective(upstream), e.effective(local)
	scalars := u != nil && l != nil && u.Kind == yaml.ScalarNode && l.Kind == yaml.ScalarNode
	return e.migration.by != origin && !scalars
}
