package kinddraw

import (
	"maps"
	"slices"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Edits draws a copy of an object with some changes, which leave it the same
// object.
func (d Drawer) Edits(k Kind, object map[string]any) map[string]any {
	out := Copy(object).(map[string]any)
	atom := d.Resolve(k.Type)
	for range 1 + d.IntN(8) {
		d.editMap(out, atom.Map, k.Ours.Type, 0)
	}
	restore(out, object, "apiVersion", "kind")
	out["metadata"].(map[string]any)["name"] = "x"
	return out
}

// restore gives a map the fields that another has, and has not.
func restore(m, from map[string]any, names ...string) {
	for _, name := range names {
		delete(m, name)
		if v, has := from[name]; has {
			m[name] = v
		}
	}
}

// Copy is a value with maps and lists of its own.
func Copy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			out[name] = Copy(field)
		}
		return out
	case []any:
		out := []any{}
		for _, element := range v {
			out = append(out, Copy(element))
		}
		return out
	}
	return v
}

// edit changes something in a value. What is decided whole is drawn again.
func (d Drawer) edit(v any, ref TypeRef, typ *schema.Type, depth int) any {
	atom := d.Resolve(ref)
	switch v := v.(type) {
	case map[string]any:
		if atom.Map.ElementRelationship != Atomic {
			d.editMap(v, atom.Map, typ, depth)
			return v
		}
	case []any:
		if atom.List.ElementRelationship == Associative {
			return d.editList(v, atom.List, typ, depth)
		}
	}
	return d.value(ref, typ, depth)
}

// editMap takes a field away, adds one, empties the map, or changes something
// in a field.
func (d Drawer) editMap(m map[string]any, of *Map, typ *schema.Type, depth int) {
	names := slices.Sorted(maps.Keys(m))
	choice := d.IntN(12)
	if len(names) == 0 {
		choice = 0
	}
	switch {
	case choice < 3:
		d.addEntry(m, of, typ, depth)
	case choice == 3 && d.IntN(3) == 0 && depth > 1:
		for _, name := range names {
			delete(m, name)
		}
	case choice < 6 && depth > 0:
		delete(m, names[d.IntN(len(names))])
	default:
		name := d.pick(names, of, typ)
		m[name] = d.edit(m[name], FieldRef(of, name), typ.Field(name), depth+1)
	}
}

func (d Drawer) addEntry(m map[string]any, of *Map, typ *schema.Type, depth int) {
	if len(of.Fields) > 0 {
		d.addField(m, of, typ, depth)
		return
	}
	m[d.name()] = d.value(of.ElementType, typ.Field(""), depth+1)
}

// FieldRef refers to the type of a field of a struct, or of a value of a map.
func FieldRef(of *Map, name string) TypeRef {
	if field, found := of.FindField(name); found {
		return field.Type
	}
	return of.ElementType
}

// editList takes an element away, adds one, gives one another key, empties the
// list, or changes something in an element.
func (d Drawer) editList(list []any, of *List, typ *schema.Type, depth int) []any {
	choice := d.IntN(12)
	if len(list) == 0 {
		choice = 0
	}
	at := d.IntN(max(len(list), 1))
	switch {
	case choice < 3:
		return d.addElement(list, of, typ, depth)
	case choice == 3 && d.IntN(3) == 0:
		return []any{}
	case choice < 6:
		return slices.Delete(list, at, at+1)
	}
	element, isObject := list[at].(map[string]any)
	if !isObject {
		return list
	}
	if choice < 8 {
		return d.rekey(list, at, of)
	}
	edited := d.edit(Copy(element), of.ElementType, typ.Element(), depth+1).(map[string]any)
	restore(edited, element, of.Keys...)
	list[at] = edited
	return list
}

// rekey gives an element another key, if no other has it.
func (d Drawer) rekey(list []any, at int, of *List) []any {
	old := list[at].(map[string]any)
	element := Copy(old).(map[string]any)
	d.setKeys(element, of)
	if !slices.Contains(of.Keys, "name") {
		restore(element, old, "name")
	}
	for i, other := range list {
		if i != at && SameKey(other, element, of) {
			return list
		}
	}
	list[at] = element
	return list
}
