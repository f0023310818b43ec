package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// migration is the change of a resource's apiVersion by one side alone. That side's
// apiVersion stands, whatever the policy, as the switch of a union does: what the other
// side has in fields that the new version lacks, and what both changed in atomic lists
// and structs, is a conflict (rules/resources: a new apiVersion). Where both versions
// have one type nothing migrates.
//
// That the new version lacks a field is known by its schema, where that knows
// the field in the old one; else by what the side did, which took it away.
type migration struct {
	by  identity.Side // origin if there is none
	was *schema.Type  // in the old version
}

// below is the migration of a part with a type now and one in the old version.
func (m migration) below(now, was *schema.Type) migration {
	if m.by == origin || now != nil && now == was {
		return migration{}
	}
	return migration{by: m.by, was: was}
}

// HasForeign reports whether a resource of one apiVersion has a field anywhere that this one lacks
// and the old one has (rules/resources: a new apiVersion).
func HasForeign(n *yaml.Node, was, now schema.Resource) bool { return foreign(n, was.Type, now.Type) }

// foreign reports whether a value of the old version has a field anywhere that the
// new one lacks.
func foreign(n *yaml.Node, was, now *schema.Type) bool {
	if n == nil || was == nil || was == now {
		return false
	}
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && foreign(c, was.Element(), now.Element()):
			return true
		case n.Kind != yaml.MappingNode || i%2 == 1:
		case knows(was, c.Value) && isStruct(now) && !knows(now, c.Value) || foreign(n.Content[i+1], was.Field(c.Value), now.Field(c.Value)):
			return true
		}
	}
	return false
}

// knows reports whether a type has a field of a name.
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

// isStruct reports whether a type has fields and no others.
func isStruct(typ *schema.Type) bool {
	return typ != nil && (len(typ.Fields) > 0 || len(typ.Names) > 0) && typ.Elem == nil
}

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
