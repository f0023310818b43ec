package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// lacks reports whether a field is one that the new form of its struct, of type
// now, lacks.
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

// migrated reports whether a side gave an element that is decided whole another
// form. A scalar has none.
func (e *element) migrated() bool {
	u, l := e.effective(upstream), e.effective(local)
	scalars := u != nil && l != nil && u.Kind == yaml.ScalarNode && l.Kind == yaml.ScalarNode
	return e.migration.by != origin && !scalars
}
