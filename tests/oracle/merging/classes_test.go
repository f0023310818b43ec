package merging

import (
	"fmt"
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// class is a kind of difference from an oracle that is intended.
type class struct {
	name, reason string // the reason, which cites its rule in docs/rules
	covers       func(answers, difference) bool
}

// intended lists the classes of differences from structured-merge-diff; the
// first that covers a difference counts.
func intended() []class {
	return []class{
		{"re-keyed", "an element with another key and all else the same, or a port of the same name, is that element changed; there one is gone and another new (rules/lists: re-keyed elements)",
			rekeyed},
		{"emptied", "a map or list that the merge emptied disappears if a side removed it; there it becomes null (rules/fields: maps)",
			emptied},
		{"stays empty", "a map or list that the merge emptied stays, empty, if both sides still have it; there it becomes null (rules/fields: maps)",
			staysEmpty},
		{"filled", "upstream removed an empty map or list, local filled it, and what is local's own stays; there it goes, as a leaf (rules/fields: maps; rules/lists: keyed lists)",
			filled},
		{"union", "members that exclude each other never come out together, a switch stands, and the loss is a conflict; there they mix (rules/unions: switches)",
			inUnion},
		{"gone with a map", "a side removed a map with elements or union structs in it, and these go as wholes, with a conflict on the map; there what the other side changed in them is left (rules/fields: maps; rules/lists: keyed lists; rules/unions: switches)",
			goneWithMap},
		{"kept away", "an element or union struct that a side removed is gone as a whole, and the other side's changes to it are a conflict; there these alone come back (rules/lists: keyed lists; rules/unions: switches)",
			keptAway},
		{"amount", "quantities compare by the amount, so that 1 for \"1\" is no change; there it is one (rules/fields: equality)",
			sameAmount},
		{"woven", "changes of a list without keys that have an unchanged element between them are both taken; there the list is one value (rules/lists: lists without keys)",
			woven},
		{"in no namespace", "the namespace of a kind that is in none says nothing: it goes if a side dropped it, else it is local's; there it is a field like any other (rules/resources: cluster-scoped kinds)",
			inNoNamespace},
		contained(),
	}
}

// replacedWhole is the class of fields that a side added to an element, which the other side replaced.
func replacedWhole() class {
	return class{"replaced whole", "an addition to an element that the other side replaced collides, and the element is upstream's; there the two mix (rules/lists: replaced elements)",
		func(a answers, d difference) bool {
			return slices.ContainsFunc(a.conflicts, func(c merge.Conflict) bool {
				path := theirPath(c.Path)
				return c.Kind == merge.BothChanged && len(path) > 0 && path[len(path)-1].FieldName == nil && meet(path, d.path) &&
					reflect.DeepEqual(a.at(path).ours, a.at(path).upstream)
			})
		}}
}

// contained is the class of two additions in one place, of which the one contains the other.
func contained() class {
	return class{"contained", "of two additions in one place, one that contains the other is taken; there upstream's is, or they mix (rules/laws: added without an origin)",
		func(a answers, d difference) bool {
			for i := range d.path {
				above := a.at(d.path[:i+1])
				isOneSides := reflect.DeepEqual(above.ours, above.local) || reflect.DeepEqual(above.ours, above.upstream)
				if isOneSides && above.upstream != nil && above.local != nil &&
					keeps(above.ours, above.upstream, above.origin) && keeps(above.ours, above.local, above.origin) {
					return true
				}
			}
			return false
		}}
}

// keeps reports whether a value has all of a side's value, and nothing that the side removed from origin's.
func keeps(got, want, was any) bool {
	switch want := want.(type) {
	case map[string]any:
		of, isMap := got.(map[string]any)
		before, _ := was.(map[string]any)
		for name, value := range want {
			if isMap = isMap && keeps(of[name], value, before[name]); !isMap {
				return false
			}
		}
		for name := range before {
			if want[name] == nil && of[name] != nil {
				return false
			}
		}
		return isMap
	case []any:
		of, isList := got.([]any)
		before, _ := was.([]any)
		has := func(list []any, e any) bool {
			return slices.ContainsFunc(list, func(other any) bool { return reflect.DeepEqual(other, e) })
		}
		return isList && !slices.ContainsFunc(want, func(e any) bool {
			return !slices.ContainsFunc(of, func(other any) bool { return keeps(other, e, nil) })
		}) && !slices.ContainsFunc(before, func(e any) bool { return !has(want, e) && has(of, e) })
	}
	return reflect.DeepEqual(got, want)
}

// inNoNamespace reports whether a difference is in the namespace of a kind that is in none.
func inNoNamespace(a answers, d difference) bool {
	return d.path.Equals(fieldpath.MakePathOrDie("metadata", "namespace")) && a.kind.Ours.IsClusterScoped(identity.Group(a.kind.APIVersion), a.kind.Name) &&
		(d.ours == nil || reflect.DeepEqual(d.ours, d.local))
}

// woven reports whether both sides changed a list, and ours is made of elements of both.
func woven(_ answers, d difference) bool {
	_, inOrigin := d.origin.([]any)
	ours, inOurs := d.ours.([]any)
	theirs, inUpstream := d.upstream.([]any)
	own, inLocal := d.local.([]any)
	if !inOrigin || !inOurs || !inUpstream || !inLocal || reflect.DeepEqual(d.origin, d.upstream) || reflect.DeepEqual(d.origin, d.local) {
		return false
	}
	return !slices.ContainsFunc(ours, func(e any) bool {
		of := func(other any) bool { return reflect.DeepEqual(e, other) }
		return !slices.ContainsFunc(theirs, of) && !slices.ContainsFunc(own, of)
	})
}

// sameAmount reports whether the answers are one quantity, as a number and as a
// string, or upstream changed it so and local changed it.
func sameAmount(a answers, d difference) bool {
	return equalAmounts(a.kind.Ours, d.path, d.ours, d.theirs) ||
		equalAmounts(a.kind.Ours, d.path, d.origin, d.upstream) && reflect.DeepEqual(d.ours, d.local)
}

// equalAmounts reports whether the values at a path are one quantity.
func equalAmounts(kind schema.Resource, path fieldpath.Path, a, b any) bool {
	typ := typeAt(kind, path)
	return typ != nil && typ.Scalar == schema.Quantity && a != nil && fmt.Sprint(a) == fmt.Sprint(b)
}

func emptied(_ answers, d difference) bool {
	return (d.theirs == nil || hollow(d.theirs)) && d.ours == nil && d.origin != nil && d.upstream == nil
}

func staysEmpty(_ answers, d difference) bool {
	return d.theirs == nil && hollow(d.ours) && d.origin != nil && d.upstream != nil && d.local != nil
}

// hollow reports whether there is nothing in a value but empty maps and lists,
// and nulls in their place: none is drawn.
func hollow(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, field := range v {
			if field != nil && !hollow(field) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

func filled(a answers, d difference) bool {
	for i := range d.path {
		above := a.at(d.path[:i+1])
		if hollow(above.origin) && above.upstream == nil && above.theirs == nil &&
			above.local != nil && reflect.DeepEqual(above.ours, above.local) {
			return true
		}
	}
	return false
}

func inUnion(a answers, d difference) bool {
	for _, c := range a.conflicts {
		for _, path := range unionPaths(a.kind.Ours, c) {
			if meet(path, d.path) {
				return true
			}
		}
	}
	return false
}

// unionPaths are the members and discriminators that a conflict in a union is
// about: all of them, or the one member that a side left.
func unionPaths(kind schema.Resource, c merge.Conflict) []fieldpath.Path {
	path := theirPath(c.Path)
	if typ := typeAt(kind, path); isUnion(typ) && c.Kind == merge.BothChanged {
		var out []fieldpath.Path
		for _, u := range typ.Unions {
			for _, name := range append([]string{u.Discriminator}, u.Members...) {
				out = append(out, append(path.Copy(), fieldpath.FieldNameElement(name)))
			}
		}
		return out
	}
	if len(path) > 1 && apart(typeAt(kind, path[:len(path)-2]), fieldOf(path[len(path)-2])) {
		var out []fieldpath.Path
		for _, name := range typeAt(kind, path[:len(path)-2]).Apart {
			beside := append(path[:len(path)-2].Copy(), fieldpath.FieldNameElement(name))
			out = append(out, append(beside, path[len(path)-1]))
		}
		return out
	}
	if len(path) > 0 && isMember(typeAt(kind, path[:len(path)-1]), fieldOf(path[len(path)-1])) {
		return []fieldpath.Path{path}
	}
	return nil
}

// apart reports whether a field is a map that may have no key in common with one
// beside it.
func apart(typ *schema.Type, field string) bool {
	return typ != nil && slices.Contains(typ.Apart, field)
}

// isMember reports whether a field is a member of a union of its struct.
func isMember(typ *schema.Type, field string) bool {
	return isUnion(typ) && slices.ContainsFunc(typ.Unions, func(u schema.Union) bool {
		return slices.Contains(u.Members, field)
	})
}

// typeAt is this module's type of a path.
func typeAt(kind schema.Resource, path fieldpath.Path) *schema.Type {
	typ := kind.Type
	for _, step := range path {
		if step.FieldName != nil {
			typ = typ.Field(*step.FieldName)
		} else {
			typ = typ.Element()
		}
	}
	return typ
}

func keptAway(a answers, d difference) bool {
	return d.ours == nil && slices.ContainsFunc(a.conflicts, func(c merge.Conflict) bool {
		path := theirPath(c.Path)
		return (c.Kind == merge.LocalDeleted || c.Kind == merge.UpstreamDeleted) && meet(path, d.path) && a.at(path).ours == nil
	})
}

// goneWithMap reports whether the difference is in a thing with an identity that
// origin had, within a map that one side removed and the other changed.
func goneWithMap(a answers, d difference) bool {
	return d.ours == nil && slices.ContainsFunc(a.conflicts, func(c merge.Conflict) bool {
		path := theirPath(c.Path)
		if c.Kind != merge.LocalDeleted && c.Kind != merge.UpstreamDeleted || len(d.path) <= len(path) || !meet(path, d.path) {
			return false
		}
		for i := len(path) + 1; i <= len(d.path); i++ {
			identified := d.path[i-1].FieldName == nil || isUnion(typeAt(a.kind.Ours, d.path[:i]))
			if thing := a.at(d.path[:i]); identified && thing.origin != nil && thing.ours == nil {
				return true
			}
		}
		return false
	})
}

// meet reports whether one path is at or above the other.
func meet(a, b fieldpath.Path) bool {
	short := min(len(a), len(b))
	return a[:short].Equals(b[:short])
}

// fieldOf is the field of a step, "" if the step leads to an element.
func fieldOf(step fieldpath.PathElement) string {
	if step.FieldName == nil {
		return ""
	}
	return *step.FieldName
}
