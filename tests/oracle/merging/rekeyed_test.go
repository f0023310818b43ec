package merging

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// rekeyed reports whether the difference is in a list with an element that a side
// has under another key.
func rekeyed(a answers, d difference) bool { return rekeyedList(a, d.path) != nil }

// rekeyedList is the path of the list with such an element that a path leads
// into, nil if there is none.
func rekeyedList(a answers, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		if list, isKeyed := keyedListAt(a, path[:i]); isKeyed && (list.hasRenamed() || list.hasReplaced() || list.hasPortOfBoth()) {
			return path[:i]
		}
	}
	return nil
}

// keyedList has the elements of a list by their keys, and the keys in their order, of each side.
type keyedList struct {
	keys     []schema.Key
	elements [3]map[string]map[string]any
	order    [3][]string
}

// keyedListAt is the list at a path, if it is one whose elements have keys.
func keyedListAt(a answers, path fieldpath.Path) (list keyedList, isKeyed bool) {
	typ := typeAt(a.kind.Ours, path)
	if typ == nil || typ.Relation != schema.ListMap {
		return list, false
	}
	list.keys = typ.Keys
	for _, side := range identity.Sides() {
		list.elements[side] = map[string]map[string]any{}
		elements, _ := at(a.sides[side], path).([]any)
		for _, element := range elements {
			fields := element.(map[string]any)
			key := list.keyOf(fields)
			list.elements[side][key] = fields
			list.order[side] = append(list.order[side], key)
		}
	}
	return list, true
}

// keyOf is the key of an element as text, its defaults filled in.
func (l keyedList) keyOf(element map[string]any) (text string) {
	for _, key := range l.keys {
		v, written := element[key.Name]
		if !written {
			v = key.Default
		}
		text += fmt.Sprintf("%T %v, ", v, v)
	}
	return text
}

// rest is all of an element but its key.
func (l keyedList) rest(element map[string]any) map[string]any {
	out := maps.Clone(element)
	for _, key := range l.keys {
		delete(out, key.Name)
	}
	return out
}

// gone are the keys of origin that a side lacks, and came are the side's keys that origin lacks.
func (l keyedList) gone(side identity.Side) []string {
	return without(l.order[origin], l.elements[side])
}
func (l keyedList) came(side identity.Side) []string {
	return without(l.order[side], l.elements[origin])
}

func without(keys []string, of map[string]map[string]any) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return of[key] != nil })
}

// hasRenamed reports whether a side has an element of origin under another key.
func (l keyedList) hasRenamed() bool {
	for _, side := range [2]identity.Side{upstream, local} {
		if slices.ContainsFunc(l.gone(side), func(old string) bool { return l.successor(old, side) != "" }) {
			return true
		}
	}
	return false
}

// successor is the key under which a side has an element of origin, "" if there is none: that of
// the one new element that is like origin's or the other side's in a sign. The other side has no
// two of both keys.
func (l keyedList) successor(old string, side identity.Side) string {
	other := upstream + local - side
	for _, sign := range l.signs() {
		for _, from := range [2]identity.Side{other, origin} {
			if l.elements[from][old] == nil || l.only(origin, sign, sign(l.elements[origin][old])) != old {
				continue
			}
			text := sign(l.elements[from][old])
			to := l.only(side, sign, text)
			isNew := to != "" && l.elements[origin][to] == nil && (l.elements[other][old] == nil || l.elements[other][to] == nil)
			if isNew && l.only(from, sign, text) == old {
				return to
			}
		}
	}
	return ""
}

// signs are the texts that an element is known by under another key: the name of a port, and all
// but the key.
func (l keyedList) signs() []func(map[string]any) string {
	rest := func(element map[string]any) string {
		rest := l.rest(element)
		if slices.ContainsFunc(slices.Collect(maps.Keys(rest)), func(name string) bool { return name != "value" && name != "valueFrom" }) {
			return fmt.Sprintf("%#v", rest)
		}
		return "" // nothing, or a value, says nothing of whose it is
	}
	name := func(element map[string]any) string { text, _ := element["name"].(string); return text }
	if l.arePorts() {
		return []func(map[string]any) string{name, rest}
	}
	return []func(map[string]any) string{rest}
}

// only is the key of the one element that has a sign on a side, "" if there is none, or several.
func (l keyedList) only(side identity.Side, sign func(map[string]any) string, text string) (found string) {
	for _, key := range l.order[side] {
		if text == "" || sign(l.elements[side][key]) != text {
			continue
		}
		if found != "" {
			return ""
		}
		found = key
	}
	return found
}

func (l keyedList) arePorts() bool {
	return l.keys[0].Name == "port" || l.keys[0].Name == "containerPort"
}

// hasReplaced reports whether a side has, under a key of its own, a new element for one that both
// sides lack, in its position and with a field in common: the other side's removal, or its own new
// element, collides with that.
func (l keyedList) hasReplaced() bool {
	stands := func(old string, side identity.Side) bool {
		return l.successor(old, side) != "" || slices.ContainsFunc(l.came(side), func(key string) bool {
			return l.elements[upstream+local-side][key] == nil && l.position(key, side) == l.position(old, origin) &&
				l.haveInCommon(l.elements[origin][old], l.elements[side][key])
		})
	}
	return slices.ContainsFunc(l.gone(upstream), func(old string) bool {
		return l.elements[local][old] == nil && (stands(old, upstream) || stands(old, local))
	})
}

// position is the last key before another on a side that all sides have.
func (l keyedList) position(of string, side identity.Side) (before string) {
	for _, key := range l.order[side] {
		if key == of {
			break
		}
		if l.elements[origin][key] != nil && l.elements[upstream][key] != nil && l.elements[local][key] != nil {
			before = key
		}
	}
	return before
}

// haveInCommon reports whether elements have a field in common beside their keys, or one has none.
func (l keyedList) haveInCommon(a, b map[string]any) bool {
	a, b = l.rest(a), l.rest(b)
	for name, v := range a {
		if v != nil && reflect.DeepEqual(v, b[name]) {
			return true
		}
	}
	return len(a) == 0 || len(b) == 0
}

// hasPortOfBoth reports whether both sides added a port of one name, under different numbers.
func (l keyedList) hasPortOfBoth() bool {
	return l.arePorts() && slices.ContainsFunc(l.came(upstream), func(theirs string) bool {
		name := l.elements[upstream][theirs]["name"]
		return name != nil && slices.ContainsFunc(l.came(local), func(ours string) bool {
			return ours != theirs && l.elements[local][ours]["name"] == name
		})
	})
}
