package managed

import "slices"

// Union has the paths of both sets.
func Union(a, b *Set) *Set {
	return combine(a, b, func(a, b bool) bool { return a || b })
}

// Intersection has the paths that both sets have.
func Intersection(a, b *Set) *Set {
	return combine(a, b, func(a, b bool) bool { return a && b })
}

// Difference has the paths of a that b lacks. What lies below a path of b stays.
func Difference(a, b *Set) *Set {
	return combine(a, b, func(a, b bool) bool { return a && !b })
}

// RecursiveDifference has the paths of a that are no path of b and not below one.
func RecursiveDifference(a, b *Set) *Set {
	if a == nil || b.Member() {
		return nil
	}
	out := Builder{Member: a.member}
	for step, below := range a.Children() {
		out.Add(step, RecursiveDifference(below, b.Below(step)))
	}
	return out.Set()
}

// Equal reports whether two sets have the same paths.
func Equal(a, b *Set) bool {
	if a.Empty() || b.Empty() {
		return a.Empty() && b.Empty()
	}
	return a.member == b.member && slices.EqualFunc(a.children, b.children, func(x, y child) bool {
		return compareSteps(x.step, y.step) == 0 && Equal(x.set, y.set)
	})
}

// combine has the paths for which keep says so, given who of the two has them.
func combine(a, b *Set, keep func(a, b bool) bool) *Set {
	out := Builder{Member: keep(a.Member(), b.Member())}
	for step, below := range a.Children() {
		out.Add(step, combine(below, b.Below(step), keep))
	}
	for step, below := range b.Children() {
		if a.Below(step) == nil {
			out.Add(step, combine(nil, below, keep))
		}
	}
	return out.Set()
}
