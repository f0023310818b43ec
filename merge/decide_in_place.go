package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// inPlace merges elements of lists without keys that the sides changed in their place (rules/lists: elements changed in
// place). typ is the type of the elements, and depth the number of such lists around them.
type inPlace struct {
	typ   *schema.Type
	depth int
}

// maxInPlace limits the lists in lists whose elements are merged one by one.
const maxInPlace = 8

// settle merges the elements of a collision one by one. It fails if a side has another number of elements there, if an
// element does not say for certain that it is another version of origin's, or if both sides changed one in ways that
// collide. both has the positions of the elements that both changed.
func (m inPlace) settle(lists [3][]*yaml.Node) (merged []*yaml.Node, both []int, ok bool) {
	o, u, l := lists[origin], lists[upstream], lists[local]
	if len(o) == 0 || len(u) != len(o) || len(l) != len(o) || m.depth == maxInPlace {
		return nil, nil, false
	}
	for i := range o {
		n, ok := m.element(o[i], u[i], l[i])
		if !ok || !mostlyAlike(o[i], n) || !hasNewComments(n, o[i], u[i], l[i]) {
			return nil, nil, false
		}
		if n != u[i] && n != l[i] {
			both = append(both, i)
		}
		merged = append(merged, n)
	}
	return merged, both, true
}

func (m inPlace) element(o, u, l *yaml.Node) (*yaml.Node, bool) {
	if !mostlyAlike(o, u) || !mostlyAlike(o, l) {
		return nil, false
	}
	return m.value(m.typ, o, u, l)
}

// value merges a value within an element. If both sides changed a map, they must have changed the same field of it, for
// the fields of an element without a key belong together.
func (m inPlace) value(typ *schema.Type, o, u, l *yaml.Node) (*yaml.Node, bool) {
	switch {
	case same(typ, o, u) || same(typ, u, l):
		return l, true
	case same(typ, o, l):
		return u, true
	case !sameForm(o, u) || !sameForm(o, l):
		return nil, false
	case o.Kind == yaml.MappingNode:
		return m.fields(typ, o, u, l)
	case o.Kind == yaml.SequenceNode:
		return m.list(typ, o, u, l)
	}
	lines := linesMerge{chosen: func() identity.Side { return local }}
	n, ok := lines.strings(o, u, l)
	return n, ok && len(lines.conflicts) == 0
}

// fields merges maps that both sides changed in one field only, the same one.
func (m inPlace) fields(typ *schema.Type, o, u, l *yaml.Node) (*yaml.Node, bool) {
	if len(u.Content) != len(o.Content) || len(l.Content) != len(o.Content) {
		return nil, false
	}
	out, inUpstream, inLocal := *l, yamlnode.Fields(u), yamlnode.Indices(l)
	out.Content = slices.Clone(l.Content)
	for i := 0; i+1 < len(o.Content); i += 2 {
		name, was := o.Content[i].Value, o.Content[i+1]
		theirs, at := inUpstream(name), inLocal(name)
		if theirs == nil || at < 0 {
			return nil, false
		}
		ours, field := l.Content[at+1], typ.Field(name)
		if same(field, was, theirs) != same(field, was, ours) {
			return nil, false
		}
		n, ok := m.value(field, was, theirs, ours)
		if !ok {
			return nil, false
		}
		out.Content[at+1] = n
	}
	return &out, countChanges(o, &out) == 1
}

// countChanges returns the number of fields of a map that another map with the same fields has otherwise.
func countChanges(o, n *yaml.Node) (changes int) {
	field := yamlnode.Fields(n)
	for i := 0; i+1 < len(o.Content); i += 2 {
		if !Same(o.Content[i+1], field(o.Content[i].Value)) {
			changes++
		}
	}
	return changes
}

// list merges lists by hunks. A list whose elements have a field that looks like a key keeps it one.
func (m inPlace) list(typ *schema.Type, o, u, l *yaml.Node) (*yaml.Node, bool) {
	lists := [3][]*yaml.Node{o.Content, u.Content, l.Content}
	h := settledHunks(lists, inPlace{typ.Element(), m.depth + 1})
	content := h.content(lists, local)
	keyed := schema.InferKeys(lists[:]...) != nil && schema.InferKeys(append(lists[:], content)...) == nil
	if !h.clean || keyed || !h.isFaithful(local) {
		return nil, false
	}
	return withContent(l, content), true
}

// mostlyAlike reports whether two values have more than half of their scalars in common.
func mostlyAlike(a, b *yaml.Node) bool {
	if Same(a, b) {
		return true
	}
	x, y := scalarCounts(a), scalarCounts(b)
	common, inA, inB := 0, 0, 0
	for text, n := range x {
		common, inA = common+min(n, y[text]), inA+n
	}
	for _, n := range y {
		inB += n
	}
	return 2*common > max(inA, inB)
}

// scalarCounts counts the scalars in a value by the name of the field around them.
func scalarCounts(n *yaml.Node) map[string]int {
	counts := map[string]int{}
	var add func(n *yaml.Node, field string)
	add = func(n *yaml.Node, field string) {
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				add(n.Content[i+1], n.Content[i].Value)
			}
		case yaml.SequenceNode:
			for _, c := range n.Content {
				add(c, field)
			}
		default:
			counts[field+"\x00"+canonical(n)]++
		}
	}
	add(n, "")
	return counts
}

// hasNewComments reports whether a merged element has the comments that the sides added to origin's.
func hasNewComments(merged, o *yaml.Node, sides ...*yaml.Node) bool {
	known := map[string]bool{}
	for _, n := range [2]*yaml.Node{merged, o} {
		eachComment(n, func(_ *yaml.Node, _, comment string) { known[comment] = true })
	}
	found := true
	for _, n := range sides {
		eachComment(n, func(_ *yaml.Node, _, comment string) { found = found && known[comment] })
	}
	return found
}
