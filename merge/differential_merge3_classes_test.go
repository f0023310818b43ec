package merge

import (
	"fmt"
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
)

// merge3Classes lists the classes of differences from merge3; the first that
// covers a difference counts.
func merge3Classes() []class {
	return []class{
		{"re-keyed", "an element with another key and all else the same, or a port of the same name, is that element changed; there one is gone and another new (rules/lists: re-keyed elements)",
			rekeyed},
		{"emptied", "a map or list that a side removed, and in which the other changed nothing, is gone; there it stays or comes back, empty (rules/fields: maps)",
			backEmpty},
		{"half an element", "an element that a side deleted is gone as a whole; there its key comes back, with what the other side changed (rules/lists: keyed lists)",
			halfElement},
		{"union", "members that exclude each other never come out together, a switch stands, and the loss is a conflict; there they mix (rules/unions: switches)",
			inUnion},
		{"kept away", "a union struct that a side removed is gone as a whole, and the other side's changes to it are a conflict; there these come back (rules/unions: switches)",
			keptAway},
		{"gone with what held it", "upstream removed a list, and local's own elements stay; there they go too (rules/lists: keyed lists)", goneWithHolder},
		{"replaced", "a list with keys merges by them; kyaml's schema is that of Kubernetes 1.21, and a list that it does not know is upstream's (rules/schemas: where keys come from)",
			replacedByUpstreams},
		{"merged", "an atomic struct or list is one side's value; there fields and elements merge, often to one that neither side wrote (rules/lists: lists without keys; rules/schemas: built-in kinds)",
			wholeMerged},
		{"as text", "values are equal by their kind, too; there by their text, so that a number and the string of its digits are the same (rules/fields: equality)",
			equalAsText},
		{"port lost", "a port's protocol is TCP where none is written; there TCP and none are two, so that ports run together or lose fields (rules/schemas: where keys come from)", portLost},
		{"twice", "elements that local has twice stay as local has them; there one of them goes (rules/lists: duplicate keys)", keptTwice},
	}
}

// keptTwice reports whether the difference is in a list of which local has an element
// twice, and ours too.
func keptTwice(a answers, d difference) bool {
	return slices.ContainsFunc(append(prefixes(d.path), d.path), func(list fieldpath.Path) bool {
		at := a.at(list)
		local, inLocal := at.local.([]any)
		ours, inOurs := at.ours.([]any)
		return inLocal && inOurs && slices.ContainsFunc(local, func(e any) bool {
			return count(local, e) > 1 && count(ours, e) == count(local, e)
		})
	})
}

func count(list []any, e any) (n int) {
	for _, other := range list {
		if reflect.DeepEqual(other, e) {
			n++
		}
	}
	return n
}

// backEmpty reports whether the difference is an empty map or list that a side
// removed.
func backEmpty(_ answers, d difference) bool {
	return hollow(d.theirs) && d.ours == nil && d.origin != nil && (d.upstream == nil || d.local == nil)
}

// halfElement reports whether the difference is in an element that a side deleted
// and that only merge3 has.
func halfElement(a answers, d difference) bool {
	return slices.ContainsFunc(prefixes(d.path), func(element fieldpath.Path) bool {
		at := a.at(element)
		deleted := at.origin != nil && (at.upstream == nil || at.local == nil)
		return element[len(element)-1].FieldName == nil && deleted && at.ours == nil && at.theirs != nil
	})
}

// replacedByUpstreams reports whether the difference is in a list with keys that
// local changed and that is upstream's for merge3.
func replacedByUpstreams(a answers, d difference) bool {
	return asDecided(a, d) && slices.ContainsFunc(prefixes(d.path), func(list fieldpath.Path) bool {
		at := a.at(list)
		_, isList := at.theirs.([]any)
		return isList && len(list) < len(d.path) && reflect.DeepEqual(at.theirs, at.upstream) && !reflect.DeepEqual(at.local, at.origin)
	})
}

// wholeMerged reports whether the difference is a map or list that is compared as
// one value.
func wholeMerged(a answers, d difference) bool {
	return asDecided(a, d) && isCollection(d.ours) && isCollection(d.theirs)
}

// asDecided reports whether ours has what rules/fields: whole values says of a value
// under policy upstream, or reports a conflict there.
func asDecided(a answers, d difference) bool {
	want := d.upstream
	if reflect.DeepEqual(d.upstream, d.origin) {
		want = d.local
	}
	return reflect.DeepEqual(d.ours, want) || reported(a, d.path)
}

func isCollection(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// equalAsText reports whether the difference is one between scalars that look
// alike, or comes of one between origin and upstream.
func equalAsText(a answers, d difference) bool {
	return asDecided(a, d) && (lookAlike(d.theirs, d.ours) || lookAlike(d.origin, d.upstream))
}

// lookAlike reports whether different scalars have the same text.
func lookAlike(a, b any) bool {
	return !isCollection(a) && !isCollection(b) && a != b && fmt.Sprint(a) == fmt.Sprint(b)
}

// portLost reports whether the difference is in a port of whose number there are
// others, or which has its protocol written on one side and not on another.
func portLost(a answers, d difference) bool {
	for i, step := range d.path {
		if step.Key != nil && len(writtenPorts(a, d.path[:i], *step.Key)) > 1 {
			return asDecided(a, d) || fieldsAsDecided(a, d)
		}
	}
	return false
}

// fieldsAsDecided says whether ours is a map of which each field is as decided.
func fieldsAsDecided(a answers, d difference) bool {
	ours, isMap := d.ours.(map[string]any)
	if !isMap {
		return false
	}
	for _, version := range []any{d.origin, d.upstream, d.local} {
		fields, _ := version.(map[string]any)
		for name := range fields {
			field := a.at(append(d.path.Copy(), fieldpath.FieldNameElement(name)))
			if !asDecided(a, field) {
				return false
			}
		}
	}
	return len(ours) > 0
}

// writtenPorts are the protocols, as the sides have them, of the ports of a list
// that have the number of a key.
func writtenPorts(a answers, list fieldpath.Path, key smdvalue.FieldList) map[any]bool {
	protocols := map[any]bool{}
	for _, part := range key {
		if part.Name != "port" && part.Name != "containerPort" {
			continue
		}
		for _, side := range identity.Sides() {
			ports, _ := at(a.sides[side], list).([]any)
			for _, port := range ports {
				if fields := port.(map[string]any); fields[part.Name] == part.Value.Unstructured() {
					protocols[fields["protocol"]] = true
				}
			}
		}
	}
	return protocols
}
