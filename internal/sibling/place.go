// Package sibling finds the place of what is added to a sequence: right after its
// nearest preceding sibling (rules/placement: added resources; rules/lists: order).
package sibling

import "slices"

// Place finds where what of other is not in the result already belongs: after the
// nearest preceding element of other that is, else first. after has them by that
// element. Each keeps the order of other.
func Place[T comparable](other []T, inResult func(T) bool) (first []T, after map[T][]T) {
	after = map[T][]T{}
	var previous *T
	for i, e := range other {
		switch {
		case inResult(e):
			previous = &other[i]
		case previous == nil:
			first = append(first, e)
		default:
			after[*previous] = append(after[*previous], e)
		}
	}
	return first, after
}

// Behind is other with what base alone added, each after its nearest preceding element that
// other has, else first: so what other adds at one place comes behind it. alone reports
// whether base added an element alone.
func Behind[T comparable](base, other []T, alone func(T) bool) []T {
	inOther := make(map[T]bool, len(other))
	for _, e := range other {
		inOther[e] = true
	}
	var first []T
	after, previous := map[T][]T{}, -1
	for i, e := range base {
		switch {
		case inOther[e]:
			previous = i
		case !alone(e):
		case previous < 0:
			first = append(first, e)
		default:
			after[base[previous]] = append(after[base[previous]], e)
		}
	}
	out := slices.Grow(first, len(other))
	for _, e := range other {
		out = append(append(out, e), after[e]...)
	}
	return out
}

// Weave is base with what only other has, each at its Place.
func Weave[T comparable](base, other []T, inBase func(T) bool) []T {
	first, after := Place(other, inBase)
	out := slices.Grow(first, len(base))
	for _, e := range base {
		out = append(append(out, e), after[e]...)
	}
	return out
}
