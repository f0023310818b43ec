package managed

import (
	"iter"
	"slices"
)

// Set is a set of paths from one place on, as a tree. The nil Set is empty. A
// path in it says nothing of the places above it: they are members for
// themselves, or they are not.
type Set struct {
	member   bool
	children []child // in the order of their steps, none of them empty
}

type child struct {
	step Step
	set  *Set
}

// Path is a way from one place to another below it.
type Path []Step

// Member reports whether the place itself is in the set.
func (s *Set) Member() bool { return s != nil && s.member }

// Empty reports whether neither the place nor anything below it is in the set.
func (s *Set) Empty() bool { return s == nil || !s.member && len(s.children) == 0 }

// HasBelow reports whether anything below the place is in the set.
func (s *Set) HasBelow() bool { return s != nil && len(s.children) > 0 }

// Below is the part of the set that lies at a step and below it.
func (s *Set) Below(step Step) *Set {
	if s == nil {
		return nil
	}
	at, found := slices.BinarySearchFunc(s.children, step, func(c child, step Step) int { return compareSteps(c.step, step) })
	if !found {
		return nil
	}
	return s.children[at].set
}

// Children are the parts of the set below the place, by the steps to them.
func (s *Set) Children() iter.Seq2[Step, *Set] {
	return func(yield func(Step, *Set) bool) {
		if s == nil {
			return
		}
		for _, c := range s.children {
			if !yield(c.step, c.set) {
				return
			}
		}
	}
}

// Paths are the paths in the set, a place before what is below it.
func (s *Set) Paths() iter.Seq[Path] {
	return func(yield func(Path) bool) { s.walk(nil, yield) }
}

func (s *Set) walk(at Path, yield func(Path) bool) bool {
	if s.Member() && !yield(slices.Clone(at)) {
		return false
	}
	for step, below := range s.Children() {
		if !below.walk(append(at, step), yield) {
			return false
		}
	}
	return true
}

// At is the part of the set that lies at a path and below it.
func (s *Set) At(p Path) *Set {
	for _, step := range p {
		s = s.Below(step)
	}
	return s
}
