package kinddraw

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Drawer draws small objects along a schema. Where it takes this module's type of the same
// value too, that says only which fields exclude each other, and which are worth drawing more
// often.
type Drawer struct {
	*rand.Rand
	Schema *Schema
}

// Resource draws an object of a kind.
func (d Drawer) Resource(k Kind) map[string]any {
	atom := d.Resolve(k.Type)
	metadata, _ := atom.Map.FindField("metadata")
	meta := d.object(d.Resolve(metadata.Type).Map, k.Ours.Type.Field("metadata"), 1)
	meta["name"] = "x"
	out := map[string]any{"apiVersion": k.APIVersion, "kind": k.Name, "metadata": meta}
	for range 3 {
		d.addField(out, atom.Map, k.Ours.Type, 0)
	}
	return out
}

// Resolve returns the type that a reference means, which the schema must have.
func (d Drawer) Resolve(ref TypeRef) Atom {
	atom, ok := d.Schema.Resolve(ref)
	if !ok {
		panic(fmt.Sprintf("the schema has no type %v", ref))
	}
	return atom
}

// value draws a value of a type.
func (d Drawer) value(ref TypeRef, typ *schema.Type, depth int) any {
	atom := d.Resolve(ref)
	switch {
	case atom.Scalar != nil && typ != nil && typ.Scalar == schema.Image:
		return []string{"web:1", "web:2", "mirror/web:1", "mirror/web", "web@sha256:ab", "$(IMAGE)"}[d.IntN(6)]
	case atom.Scalar != nil && (atom.Map == nil || d.scalarHere(atom.Map, depth)):
		return d.scalar(*atom.Scalar)
	case atom.Map != nil && len(atom.Map.Fields) > 0:
		return d.object(atom.Map, typ, depth)
	case atom.Map != nil:
		return d.dictionary(atom.Map, typ, depth)
	}
	return d.list(atom.List, typ, depth)
}

// scalarHere reports whether what may be a map or a scalar is a scalar. Where it is
// decided whole it may be either, else it is of one kind at one place.
func (d Drawer) scalarHere(m *Map, depth int) bool {
	if m.ElementRelationship == Atomic {
		return d.IntN(2) == 0
	}
	return depth > 2
}

func (d Drawer) scalar(kind Scalar) any {
	switch kind {
	case Boolean:
		return d.IntN(2) == 0
	case Numeric:
		return d.IntN(3)
	case Untyped:
		return []any{1, 2, "10%", "1"}[d.IntN(4)]
	}
	return []string{"p", "q", "1"}[d.IntN(3)]
}

// object draws a struct: few of its fields, and fewer the deeper it is.
func (d Drawer) object(m *Map, typ *schema.Type, depth int) map[string]any {
	out := map[string]any{}
	most := 4
	if depth > 4 {
		most = 2
	}
	for range d.IntN(most + 1) {
		d.addField(out, m, typ, depth)
	}
	return out
}

// addField draws a field that the struct lacks. It takes away the fields that the
// new one excludes.
func (d Drawer) addField(out map[string]any, m *Map, typ *schema.Type, depth int) {
	var names []string
	for _, f := range m.Fields {
		if _, has := out[f.Name]; !has {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	name := d.pick(names, m, typ)
	field, _ := m.FindField(name)
	for _, other := range Rivals(typ, name) {
		delete(out, other)
	}
	out[name] = d.value(field.Type, typ.Field(name), depth+1)
}

// pick picks a field, two times of three one that is no scalar, and of these
// every other time one about which merging asks something.
func (d Drawer) pick(names []string, of *Map, typ *schema.Type) string {
	if d.IntN(3) > 0 {
		names = prefer(names, func(name string) bool {
			atom := d.Resolve(FieldRef(of, name))
			return atom.Map != nil || atom.List != nil
		})
		if d.IntN(2) == 0 {
			names = prefer(names, func(name string) bool { return typ.Field(name) != nil })
		}
	}
	return names[d.IntN(len(names))]
}

// prefer returns the names that are wanted, all if none is.
func prefer(names []string, wanted func(string) bool) []string {
	chosen := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !wanted(name) })
	if len(chosen) == 0 {
		return names
	}
	return chosen
}

// Rivals are the other members of a union's member.
func Rivals(typ *schema.Type, name string) []string {
	if typ == nil {
		return nil
	}
	for _, u := range typ.Unions {
		if slices.Contains(u.Members, name) {
			return slices.DeleteFunc(slices.Clone(u.Members), func(member string) bool { return member == name })
		}
	}
	return nil
}

// dictionary draws a map.
func (d Drawer) dictionary(m *Map, typ *schema.Type, depth int) map[string]any {
	out := map[string]any{}
	for range d.IntN(4) {
		out[d.name()] = d.value(m.ElementType, typ.Field(""), depth+1)
	}
	return out
}

// name draws a key of a map or element; there are so few that sides meet.
func (d Drawer) name() string { return []string{"a", "b", "c", "d.e/f"}[d.IntN(4)] }

// list draws a list, sometimes an empty one.
func (d Drawer) list(l *List, typ *schema.Type, depth int) []any {
	out := []any{}
	for range d.IntN(4) {
		out = d.addElement(out, l, typ, depth)
	}
	return out
}

// addElement draws an element, which a list that is not atomic must not have.
func (d Drawer) addElement(list []any, l *List, typ *schema.Type, depth int) []any {
	element := d.value(l.ElementType, typ.Element(), depth+1)
	if l.ElementRelationship == Associative {
		if object, ok := element.(map[string]any); ok {
			d.setKeys(object, l)
		}
		if slices.ContainsFunc(list, func(other any) bool { return SameKey(other, element, l) }) {
			return list
		}
	}
	return append(list, element)
}

// setKeys draws an element's key, and often a name beside it. A part of the key
// that has a default may be left out.
func (d Drawer) setKeys(element map[string]any, l *List) {
	of := d.Resolve(l.ElementType)
	if _, named := of.Map.FindField("name"); named && d.IntN(2) == 0 {
		element["name"] = d.name()
	}
	for _, key := range l.Keys {
		field, _ := of.Map.FindField(key)
		switch fallback, _ := field.Default.(string); {
		case fallback != "":
			element[key] = []string{fallback, "UDP"}[d.IntN(2)]
			if element[key] == fallback && d.IntN(2) == 0 {
				delete(element, key)
			}
		case *d.Resolve(field.Type).Scalar == Numeric:
			element[key] = 80 + d.IntN(4)
		default:
			element[key] = d.name()
		}
	}
}

// SameKey reports whether elements are one to a list: by key, or in a set by value.
func SameKey(a, b any, l *List) bool {
	x, isObject := a.(map[string]any)
	if !isObject {
		return a == b
	}
	return maps.Equal(KeyOf(x, l.Keys), KeyOf(b.(map[string]any), l.Keys))
}

// KeyOf is an element's key, its defaults filled in.
func KeyOf(element map[string]any, keys []string) map[string]any {
	out := map[string]any{}
	for _, key := range keys {
		out[key] = element[key]
		if out[key] == nil && key == "protocol" {
			out[key] = "TCP"
		}
	}
	return out
}
