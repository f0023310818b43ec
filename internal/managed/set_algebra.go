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

// Of is the set of some paths.
func Of(paths ...Path) *Set {
	var s *Set
	for _, p := range paths {
		s = Union(s, single(p))
	}
	return s
}

func single(p Path) *Set {
	s := &Set{member: true}
	for _, step := range slices.Backward(p) {
		s = &Set{children: []child{{step, s}}}
	}
	return s
}

// Builder makes the set at one place out of those below it.
type Builder struct {
	Member   bool
	children []child
}

// Add puts the set that lies at a step and below it.
func (b *Builder) Add(step Step, s *Set) {
	if !s.Empty() {
		b.children = append(b.children, child{step, s})
	}
}

// Set is what was built. Of two sets that were put at one step it has the union.
func (b *Builder) Set() *Set {
	slices.SortStableFunc(b.children, func(x, y child) int { return compareSteps(x.step, y.step) })
	s := &Set{member: b.Member}
	for _, c := range b.children {
		if last := len(s.children) - 1; last >= 0 && compareSteps(s.children[last].step, c.step) == 0 {
			s.children[last].set = Union(s.children[last].set, c.set)
			continue
		}
		s.children = append(s.children, c)
	}
	if s.Empty() {
		return nil
	}
	return s
}
