package merge

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// commented is a field or an element of one side, with the comments above and below it.
type commented struct {
	id         any
	head, foot string
	// block reports whether its value is a map or list in block style, which has the comments below its last line.
	block bool
	// value is the value of a field of a resource.
	value *yaml.Node
}

// collection is a side's version of a map or list: its entries, and the comment at its end.
type collection struct {
	entries []commented
	end     string
}

// add adds a field or an element with a value, whose comments its key or the element itself has.
func (c *collection) add(id any, of, value *yaml.Node) {
	s := nodeSlots(of)
	e := commented{id: id, head: s.head, block: yamlnode.IsBlock(value)}
	if !e.block {
		e.foot = s.foot
	}
	c.entries = append(c.entries, e)
}

// commentSlot names the comment above or below a field or an element. In a field that a side filled, id is the node that
// has the comment. The zero slot is the comment at the end of the map or list.
type commentSlot struct {
	id    any
	below bool
}

// isFilled reports whether the slot is in a field that a side filled.
func (s commentSlot) isFilled() bool {
	_, filled := s.id.(*yaml.Node)
	return filled
}

// division has the comments around fields and elements that one side put between others, such as a field that local
// uncommented (rules/comments-and-text: comments between fields). The comments between two fields of all sides
// are one text there. The other versions of that text are divided as that side divides its own, so that each comment is
// merged where this side has it.
type division map[commentSlot][3]string

// divide returns the division of the comments in a map or list. inResult reports whether the result has a field or an
// element.
func divide(versions [3]collection, inResult func(id any) bool) division {
	out := division{}
	at, unique := indexEntries(versions)
	if !unique {
		return out
	}
	from := [3]int{}
	for i := range len(versions[origin].entries) + 1 {
		to := [3]int{len(versions[0].entries), len(versions[1].entries), len(versions[2].entries)}
		if i < len(versions[origin].entries) {
			to = at[versions[origin].entries[i].id]
		}
		if slices.Contains(to[:], -1) {
			continue
		}
		if s := (commentStretch{versions, from, to}); s.isSeparate(at) {
			if by, ok := s.divider(); ok && s.isKept(by, inResult) {
				s.divide(by, out)
			}
		}
		for side := range from {
			from[side] = to[side] + 1
		}
	}
	return out
}

// divideFields returns the division of the comments between the fields of a map that is taken whole.
func divideFields(versions [3]*yaml.Node, result *yaml.Node) division {
	return divideNodes(versions, result, 2, func(n *yaml.Node) any { return n.Value })
}

// divideElements returns the division of the comments between the elements of a list that is taken whole.
func divideElements(versions [3]*yaml.Node, result *yaml.Node) division {
	return divideNodes(versions, result, 1, func(n *yaml.Node) any { return canonical(n) })
}

// divideNodes returns the division of the comments between the nodes of a collection at each step.
func divideNodes(versions [3]*yaml.Node, result *yaml.Node, step int, id func(*yaml.Node) any) division {
	if versions[origin] == nil || len(versions[origin].Content) == len(versions[upstream].Content) &&
		len(versions[origin].Content) == len(versions[local].Content) {
		return nil
	}
	var collections [3]collection
	for side, n := range versions {
		for i := 0; i+step <= len(n.Content); i += step {
			collections[side].add(id(n.Content[i]), n.Content[i], n.Content[i+step-1])
		}
		collections[side].end = nodeSlots(n).foot
	}
	kept := map[any]bool{}
	for i := 0; i+step <= len(result.Content); i += step {
		kept[id(result.Content[i])] = true
	}
	return divide(collections, func(id any) bool { return kept[id] })
}

// entryIndex has the index of each entry in each version, -1 where that lacks it.
type entryIndex map[any][3]int

// indexEntries returns the index of the versions. unique is false if one has an entry twice.
func indexEntries(versions [3]collection) (at entryIndex, unique bool) {
	at = entryIndex{}
	for side, c := range versions {
		for i, e := range c.entries {
			indices, known := at[e.id]
			if !known {
				indices = [3]int{-1, -1, -1}
			}
			if indices[side] >= 0 {
				return nil, false
			}
			indices[side] = i
			at[e.id] = indices
		}
	}
	return at, true
}

// commentStretch is the part of each version between two neighbouring entries that all have, by indices.
type commentStretch struct {
	versions [3]collection
	from, to [3]int
}

// isSeparate reports whether the entries around the stretch are in the same order on all sides, and no side has an
// entry of the stretch elsewhere.
func (s commentStretch) isSeparate(at entryIndex) bool {
	for side, from := range s.from {
		if from > s.to[side] {
			return false
		}
	}
	for _, id := range slices.Concat(s.ids(origin), s.ids(upstream), s.ids(local)) {
		for side, i := range at[id] {
			if i >= 0 && (i < s.from[side] || i >= s.to[side]) {
				return false
			}
		}
	}
	return true
}

func (s commentStretch) ids(side identity.Side) (ids []any) {
	for _, e := range s.versions[side].entries[s.from[side]:s.to[side]] {
		ids = append(ids, e.id)
	}
	return ids
}

// divider returns the side that put entries into the stretch, where origin has none or the other side removed all of origin's, or that
// filled the empty field above it, or local if it alone changed the entries. ok is false if both put some there, or none.
func (s commentStretch) divider() (by identity.Side, ok bool) {
	o, u, l := s.ids(origin), s.ids(upstream), s.ids(local)
	if by, ok := s.refiller(); ok {
		return by, true
	}
	switch {
	case len(o) > 0:
		return local, len(l) == 0 && slices.Equal(o, u)
	case len(u) == 0 && (len(l) > 0 || s.fills(local)):
		return local, true
	case len(l) == 0 && (len(u) > 0 || s.fills(upstream)):
		return upstream, true
	}
	return upstream, len(u) > 0 && slices.Equal(u, l)
}

// refiller returns the side that put entries beside all of origin's, where the other side removed these. After an earlier merge
// local has removed these, too.
func (s commentStretch) refiller() (by identity.Side, ok bool) {
	o := s.ids(origin)
	for _, by := range [2]identity.Side{upstream, local} {
		ids := s.ids(by)
		has := func(id any) bool { return slices.Contains(ids, id) }
		lacks := func(id any) bool { return !has(id) }
		isAll := len(o) < len(ids) && !slices.ContainsFunc(o, lacks)
		if len(o) > 0 && len(s.ids(otherSide(by))) == 0 && (isAll || by == local && len(ids) > 0 && !slices.ContainsFunc(o, has)) {
			return by, true
		}
	}
	return origin, false
}

// isRemoved reports whether a side removed an entry of the stretch beside which the other side put others.
func (s commentStretch) isRemoved(id any) bool {
	_, refilled := s.refiller()
	return refilled && slices.Contains(s.ids(origin), id)
}

// isKept reports whether the result has the entries of a side in the stretch and next to it, and none that it removed.
func (s commentStretch) isKept(by identity.Side, inResult func(id any) bool) bool {
	entries := s.versions[by].entries
	entries = entries[max(s.from[by]-1, 0):min(s.to[by]+1, len(entries))]
	return !slices.ContainsFunc(s.ids(origin), inResult) && !slices.ContainsFunc(entries, func(e commented) bool { return !inResult(e.id) && !s.isRemoved(e.id) })
}

// leavesComments reports whether local, which removed entries, left comments of the stretch, and upstream changed none of
// the lines that went with the entries, and has changes that local lacks.
func leavesComments(own, o, y []string) bool {
	isNew := func(line string) bool { return !slices.Contains(o, line) && !slices.Contains(own, line) }
	return mergesCleanly(o, y, own) && slices.ContainsFunc(y, isNew)
}

// mergesCleanly reports whether a side l has comments, and its changes and those of the side u are of different lines.
func mergesCleanly(o, u, l []string) bool {
	text := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
	_, clean := mergeLines([3]string{origin: text(o), upstream: text(u), local: text(l)})
	return len(l) > 0 && clean
}

// stretchPart is a part of the comments of a stretch: all of them, those in the field above it and its block, or the others.
// The blocks of the fields in the stretch are no part of it.
type stretchPart int

const (
	wholeStretch stretchPart = iota
	ofFieldAbove
	belowFieldAbove
)

// slots returns the places of a side's comments in a part of the stretch, in their order, and texts the comments there.
func (s commentStretch) slots(side identity.Side, part stretchPart) (slots []commentSlot, texts []string) {
	c := s.versions[side]
	add := func(slot commentSlot, text string) {
		slots, texts = append(slots, slot), append(texts, text)
	}
	if from := s.from[side]; from > 0 && part != belowFieldAbove {
		if s.fills(side) {
			eachPlace(c.entries[from-1].value, func(n *yaml.Node, below bool, text string) { add(commentSlot{n, below}, text) })
		}
		if above := c.entries[from-1]; !above.block {
			add(commentSlot{above.id, true}, above.foot)
		}
	}
	if part == ofFieldAbove {
		return slots, texts
	}
	by, refilled := s.refiller()
	above := "" // what a removed entry has goes to the next one
	for _, e := range c.entries[s.from[side]:s.to[side]] {
		head := yamlnode.JoinComments("\n\n", above, e.head)
		if above = ""; refilled && side == by && s.isRemoved(e.id) {
			above = head
			continue
		}
		add(commentSlot{id: e.id}, head)
	}
	if to := s.to[side]; to < len(c.entries) {
		add(commentSlot{id: c.entries[to].id}, yamlnode.JoinComments("\n\n", above, c.entries[to].head))
	} else {
		add(commentSlot{}, yamlnode.JoinComments("\n\n", above, c.end))
	}
	return slots, texts
}

// heads reports for each of a side's places whether it is above an entry of the stretch, or of the field that the side
// filled.
func (s commentStretch) heads(side identity.Side, part stretchPart) (heads []bool) {
	ids := s.ids(side)
	slots, _ := s.slots(side, part)
	for _, slot := range slots {
		heads = append(heads, !slot.below && (slot.isFilled() || slot.id != nil && slices.Contains(ids, slot.id)))
	}
	return heads
}

// divide adds the comments of the stretch, as a side divides them. The block of the field above is about that field: it is
// divided where the side filled the field, and apart from the comments below.
func (s commentStretch) divide(by identity.Side, into division) {
	other := upstream + local - by
	hasBlock := func(side identity.Side) bool {
		return s.from[side] > 0 && s.versions[side].entries[s.from[side]-1].foot != ""
	}
	switch {
	case !s.fills(by):
		s.dividePart(by, belowFieldAbove, into)
	case hasBlock(origin) || hasBlock(other):
		s.dividePart(by, ofFieldAbove, into)
		s.dividePart(by, belowFieldAbove, into)
	default:
		s.dividePart(by, wholeStretch, into)
	}
}

// dividePart adds the comments of a part of the stretch, as a side divides them. It adds none if the other side did not
// change them, or changed lines of two comments at once.
func (s commentStretch) dividePart(by identity.Side, part stretchPart, into division) {
	other := upstream + local - by
	slots, own := s.slots(by, part)
	originSlots, originTexts := s.slots(origin, part)
	otherSlots, otherTexts := s.slots(other, part)
	parallel := slices.Equal(s.ids(other), s.ids(by)) && s.fills(by) == s.fills(other) && len(own) == len(otherTexts)
	o, y := joinedLines(originTexts), joinedLines(otherTexts)
	_, refilled := s.refiller()
	switch {
	case parallel && slices.Equal(own, otherTexts), !parallel && (sameWords(o, y) || s.fills(other)):
		return
	case refilled && !mergesCleanly(o, joinedLines(own), y) && !sameWords(joinedLines(own), y), !refilled && len(s.ids(origin)) > 0 && !leavesComments(joinedLines(own), o, y):
		return
	}
	split := divideLike
	if parallel {
		split = divideOrigin
	}
	os, ys, ok := split(s.heads(by, part), own, originTexts, otherTexts)
	if !ok {
		return
	}
	for _, slot := range slices.Concat(originSlots, otherSlots) {
		if !slot.isFilled() {
			into[slot] = [3]string{}
		}
	}
	for i, slot := range slots {
		texts := [3]string{}
		texts[by], texts[origin], texts[other] = own[i], likeLayout(os[i], own[i]), likeLayout(ys[i], os[i], own[i])
		into[slot] = texts
	}
}

// likeLayout returns the first of others that differs from a comment in empty lines only, the comment itself if none
// does.
func likeLayout(comment string, others ...string) string {
	for _, other := range slices.Backward(others) {
		if withoutEmptyLines(other) == withoutEmptyLines(comment) {
			return other
		}
	}
	return comment
}

// apply puts the divided comments of a field or an element into its slots. found is false if there are none.
func (d division) apply(id any, s *[3]slots) (found bool) {
	head, above := d[commentSlot{id: id}]
	foot, below := d[commentSlot{id, true}]
	for side := range s {
		if above {
			s[side].head = head[side]
		}
		if below {
			s[side].foot = foot[side]
		}
	}
	return above || below
}

// noteEnd notes the comment at the end of a map or list that is divided, for the field or the element around it, and
// returns the division.
func (m emitter) noteEnd(between division, of *yaml.Node) division {
	if end, divided := between[commentSlot{}]; divided {
		m.ends[of] = end
	}
	return between
}

// divide returns the division of the comments between the children of an element.
func (e *element) divide(d decision) division {
	changes := func(c *element) bool { return !c.inAll() || c.isFilled() || e.form == mapping && c.lacksElements() }
	if !e.inAll() || !slices.ContainsFunc(e.children, changes) {
		return nil
	}
	var versions [3]collection
	for side, order := range e.order {
		for _, i := range order {
			c := e.children[i]
			versions[side].add(c, cmp.Or(c.key[side], c.value[side]), c.value[side])
			if e.form == mapping {
				versions[side].entries[len(versions[side].entries)-1].value = c.value[side]
			}
		}
		versions[side].end = nodeSlots(e.value[side]).foot
	}
	kept := map[any]bool{}
	for _, i := range d.order {
		kept[e.children[i]] = true
	}
	out := divide(versions, func(id any) bool { return kept[id] })
	e.moveLeft(d, versions, out, kept)
	return out
}
