package merge

import (
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ownedBelow is who owns a child of the element, or something below it. Whoever owns
// nothing there is not listed.
func (e *element) ownedBelow(child *element) []owned {
	if len(e.owned) == 0 {
		return nil
	}
	var out []owned
	step := child.path.step()
	for _, o := range e.owned {
		if below := o.fields.Below(step); below != nil {
			out = append(out, owned{by: o.by, fields: below})
		}
	}
	return out
}

// ownedAs says how a list of which no schema knows is told apart by those who own its
// elements: as a set, or by keys.
func (e *element) ownedAs() (relation schema.Relation, keys []schema.Key) {
	for _, o := range e.owned {
		for step := range o.fields.Children() {
			if step.IsValue() {
				return schema.Set, nil
			}
			for _, name := range step.KeyNames() {
				keys = append(keys, schema.Key{Name: name})
			}
			return schema.ListMap, keys
		}
	}
	return schema.Granular, nil
}

// ownedIn is what a set owns of a value of a type. What was owned part by part, before the
// schema had it as one field, is owned as a whole.
func ownedIn(typ *schema.Type, s *managed.Set) *managed.Set {
	if typ == nil || !s.HasBelow() {
		return s
	}
	if typ.Relation == schema.Atomic {
		return managed.Of(nil)
	}
	out := managed.Builder{Member: s.Member()}
	for step, below := range s.Children() {
		of := typ.Element()
		if name, isField := step.FieldName(); isField {
			of = typ.Field(name)
		}
		out.Add(step, ownedIn(of, below))
	}
	return out.Set()
}

// step is the last step of a path, as managedFields write it.
func (p *Path) step() managed.Step {
	if p.keys == nil {
		return managed.Field(p.field)
	}
	if len(p.keys) == 1 && p.keys[0].Name == "" {
		return managed.Value(p.keys[0].Value)
	}
	parts := make([]managed.KeyPart, len(p.keys))
	for i, k := range p.keys {
		parts[i] = managed.KeyPart(k)
	}
	return managed.Key(parts...)
}
