package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

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

// knows reports whether a type has a field.
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
