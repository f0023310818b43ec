package managed

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
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

// Read reads the fieldsV1 of an entry. A place without anything below it is in
// the set, and one that has "." too, but for the object itself, which nobody owns.
func Read(fields *yaml.Node) (*Set, error) {
	s, err := read(fields)
	if !s.HasBelow() {
		return nil, err
	}
	return &Set{children: s.children}, err
}

func read(fields *yaml.Node) (*Set, error) {
	fields = yamlnode.Resolve(fields)
	if fields == nil {
		return nil, nil
	}
	if fields.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: want a map of steps", fields.Line)
	}
	out := Builder{}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key := fields.Content[i]
		if key.Value == "." {
			out.Member = true
			continue
		}
		step, known, err := parseStep(key.Value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", key.Line, err)
		}
		if !known {
			continue
		}
		below, err := read(fields.Content[i+1])
		if err != nil {
			return nil, err
		}
		out.Add(step, below)
	}
	out.Member = out.Member || len(out.children) == 0
	return out.Set(), nil
}

// JSON is the set as a server stores it: compact, steps in their order.
func (s *Set) JSON() string {
	var b strings.Builder
	s.write(&b, false)
	return b.String()
}

func (s *Set) write(b *strings.Builder, self bool) {
	b.WriteByte('{')
	first := true
	entry := func(name string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(quote(name) + ":")
	}
	if self && s.Member() && s.HasBelow() {
		entry(".")
		b.WriteString("{}")
	}
	for step, below := range s.Children() {
		entry(step.String())
		below.write(b, true)
	}
	b.WriteByte('}')
}

// Node is the set as a YAML map, as kubectl prints it.
func (s *Set) Node() *yaml.Node { return s.node(false) }

func (s *Set) node(self bool) *yaml.Node {
	n := yamlnode.EmptyMap()
	if self && s.Member() && s.HasBelow() {
		n.Content = append(n.Content, yamlnode.String("."), (*Set)(nil).node(false))
	}
	for step, below := range s.Children() {
		n.Content = append(n.Content, yamlnode.String(step.String()), below.node(true))
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}
