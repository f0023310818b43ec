// Package sibling finds the position of elements that are added to a sequence: right after the nearest
// preceding sibling (rules/placement: added resources; rules/lists: order).
package sibling

import "slices"

// Place returns the elements of other that are not in the result, in their order: those that follow an
// element of the result by that element, the rest as first.
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

// Behind returns other with the elements that base alone added, each after its nearest preceding element in other, else
// first. So additions of other at the same position follow them. alone reports whether only base added an element.
func Behind[T comparable](base, other []T, alone func(T) bool) []T {
	inOther := make(map[T]bool, len(other))
	for _, e := range other {
		inOther[e] = true
	}
	kept := slices.DeleteFunc(slices.Clone(base), func(e T) bool { return !inOther[e] && !alone(e) })
	return Weave(other, kept, func(e T) bool { return inOther[e] })
}

// Weave returns base with the elements that only other has, each at its Place.
func Weave[T comparable](base, other []T, inBase func(T) bool) []T {
	first, after := Place(other, inBase)
	out := slices.Grow(first, len(base))
	for _, e := range base {
		out = append(append(out, e), after[e]...)
	}
	return out
}
