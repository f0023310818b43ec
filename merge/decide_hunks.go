package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ElementsPart is the Part of a conflict about elements of a list without keys.
const ElementsPart = "elements"

// decideHunks merges a list without keys that both sides changed hunk by hunk, as git merges lines (rules/lists: lists
// without keys): changes with an unchanged element between them are both taken, under every policy, and so are changes
// of elements in their place. Other changes are a conflict, with the policy's side's elements, except for the policy
// union, for which decideUnion merges the list.
func decideHunks(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if !areLists(v) || v[origin] == nil || v[upstream] == nil || v[local] == nil {
		return decision{}, false
	}
	lists := e.followed([3][]*yaml.Node{v[origin].Content, v[upstream].Content, v[local].Content})
	h, side := mergeElements(e.typ.Element(), lists), local
	if !h.clean {
		side = policy.Side(e.path)
	}
	if !h.clean && policy.otherwise(e.path) == PreferUnion || !h.isFaithful(side) {
		return decision{}, false
	}
	out := *v[local]
	out.Content = h.content(lists, side)
	d := e.made(&out)
	if d.verdict == takeMade && !e.isStable(lists, out.Content, policy) {
		return decision{}, false
	}
	if e.hasMore(lists, out.Content) && policy.otherwise(e.path) == PreferUnion {
		return decision{}, false
	}
	switch {
	case h.clean:
		d.remark(ElementsMerged, e)
	case d.verdict == takeMade:
		d.conflict(BothChanged, e, side).Part = ElementsPart
	default: // every change of one side collides: the list is taken whole
		return decision{}, false
	}
	return d, true
}

// elementHunks are the merged pieces of lists, and the elements of the collisions that were merged in their place.
type elementHunks struct {
	ids    [3][]int
	pieces []piece
	clean  bool
	// settled has the merged elements of a piece, and both the positions there of the elements that both sides changed.
	settled map[int][]*yaml.Node
	both    map[int][]int
}

// mergeElements merges lists of a type of elements by hunks. Collisions are settled element by element where merging the
// result again would change nothing.
func mergeElements(typ *schema.Type, lists [3][]*yaml.Node) elementHunks {
	h := settledHunks(lists, inPlace{typ: typ})
	if len(h.settled) == 0 {
		return h
	}
	for _, side := range [2]identity.Side{upstream, local} {
		again := lists
		again[local] = h.content(lists, side)
		if merged := settledHunks(again, inPlace{typ: typ}).content(again, side); !slices.EqualFunc(merged, again[local], Same) {
			return newElementHunks(typ, lists)
		}
	}
	return h
}

func newElementHunks(typ *schema.Type, lists [3][]*yaml.Node) elementHunks {
	h := elementHunks{settled: map[int][]*yaml.Node{}, both: map[int][]int{}}
	h.ids, _ = numbers(typ, lists)
	h.pieces, h.clean = mergeSequences(h.ids, nil)
	return h
}

// settledHunks settles the collisions of lists element by element, where that is possible.
func settledHunks(lists [3][]*yaml.Node, m inPlace) elementHunks {
	h := newElementHunks(m.typ, lists)
	h.clean = true
	for i, p := range h.pieces {
		if !p.collide {
			continue
		}
		var versions [3][]*yaml.Node
		for side, list := range lists {
			versions[side] = list[p.from[side]:p.to[side]]
		}
		merged, both, ok := m.settle(versions)
		if !ok {
			h.clean = false
			continue
		}
		h.settled[i], h.both[i] = merged, both
	}
	return h
}

// content returns the elements of the merged list. A side wins the collisions.
func (h elementHunks) content(lists [3][]*yaml.Node, side identity.Side) []*yaml.Node {
	content := []*yaml.Node{}
	for i, p := range h.pieces {
		if settled, ok := h.settled[i]; ok {
			content = append(content, settled...)
			continue
		}
		from := p.chosen(side)
		content = append(content, lists[from][p.from[from]:p.to[from]]...)
	}
	return content
}

// isFaithful reports whether the merged list, without the elements that both sides changed in their place, has each
// element as often as the changes of the sides require.
func (h elementHunks) isFaithful(side identity.Side) bool {
	var ids [3][]int
	var merged []int
	for i, p := range h.pieces {
		var of [3][]int
		for at := range of {
			of[at] = h.ids[at][p.from[at]:p.to[at]]
		}
		if _, settled := h.settled[i]; !settled {
			merged = append(merged, of[p.chosen(side)]...)
		} else {
			of, merged = h.changedByOne(i, of, merged)
		}
		for at := range of {
			ids[at] = append(ids[at], of[at]...)
		}
	}
	return isFaithful(ids, merged, h.clean, side)
}

// changedByOne returns each side's numbers of the elements in a settled piece, without the elements that both sides
// changed. It appends the numbers in the result to merged.
func (h elementHunks) changedByOne(i int, of [3][]int, merged []int) (ids [3][]int, _ []int) {
	for n, o := range of[origin] {
		u, l := of[upstream][n], of[local][n]
		if slices.Contains(h.both[i], n) {
			continue
		}
		ids[origin], ids[upstream], ids[local] = append(ids[origin], o), append(ids[upstream], u), append(ids[local], l)
		if o == l {
			l = u
		}
		merged = append(merged, l)
	}
	return ids, merged
}

// isStable reports whether merging the result again would change nothing, if the result has a merged list: the list is not
// origin's, and its hunks are merged to the same list, in which each element is as often as required.
func (e *element) isStable(lists [3][]*yaml.Node, merged []*yaml.Node, policy Policy) bool {
	typ, side := e.typ.Element(), local
	sameElement := func(a, b *yaml.Node) bool { return same(typ, a, b) }
	if slices.EqualFunc(merged, lists[origin], sameElement) {
		return false
	}
	lists[local] = merged
	h := mergeElements(typ, lists)
	if !h.clean {
		side = policy.Side(e.path)
	}
	return h.isFaithful(side) && slices.EqualFunc(h.content(lists, side), merged, sameElement)
}

// hasMore reports whether a merged list has an element of upstream's or local's more often than both.
func (e *element) hasMore(lists [3][]*yaml.Node, merged []*yaml.Node) bool {
	ids, n := numbers(e.typ.Element(), [3][]*yaml.Node{merged, lists[upstream], lists[local]})
	counts := make([][3]int, n)
	for i, list := range ids {
		for _, id := range list {
			counts[id][i]++
		}
	}
	return slices.ContainsFunc(counts, func(c [3]int) bool { return c[0] > max(c[1], c[2], 1) })
}

// markComments makes a conflict of the elements of a list without keys that one side removed or replaced, where the other
// side's comments are lost with them. Another whole value is a conflict as a whole.
func (e *element) markComments(d decision, lost [3]map[string]bool, policy Policy) decision {
	v, side := e.versions(), policy.Side(e.path)
	if !areLists(v) {
		d = e.take(side)
		d.conflict(BothChanged, e, side)
		return d
	}
	lists := [3][]*yaml.Node{v[origin].Content, v[upstream].Content, v[local].Content}
	h := mergeElements(e.typ.Element(), lists)
	h.collideWith(lists, lost)
	out := *v[local]
	out.Content = h.content(lists, side)
	d = e.made(&out)
	if h.clean || !h.isFaithful(side) {
		d = e.take(side)
	}
	d.conflict(BothChanged, e, side).Part = ElementsPart
	return d
}

// collideWith makes a collision of each change of one side with which comments of the other side are lost.
func (h *elementHunks) collideWith(lists [3][]*yaml.Node, lost [3]map[string]bool) {
	for i, p := range h.pieces {
		if p.collide || p.by[upstream] == p.by[local] {
			continue
		}
		other := otherSide(p.side)
		for _, n := range lists[other][p.from[other]:p.to[other]] {
			eachComment(n, func(_ *yaml.Node, _, comment string) {
				for line := range strings.SplitSeq(comment, "\n") {
					p.collide = p.collide || lost[other][line]
				}
			})
		}
		h.pieces[i], h.clean = p, h.clean && !p.collide
	}
}

// numbers numbers the elements of lists from 0 to n-1, equal elements with one number. typ is the elements' type.
func numbers(typ *schema.Type, lists [3][]*yaml.Node) (ids [3][]int, n int) {
	index := map[string]int{}
	for side, list := range lists {
		texts := make([]string, len(list))
		for i, node := range list {
			texts[i] = canonicalOf(typ, node)
		}
		ids[side] = number(index, texts)
	}
	return ids, len(index)
}

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
