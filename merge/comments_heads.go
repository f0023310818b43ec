package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// alignedElements returns the versions of the elements that stand in one place of a list, by each side's version: as many
// elements of all sides stand there between other places, and they are equal, or one side or both alike changed them and
// they are of one element.
func alignedElements(versions [3]*yaml.Node) map[*yaml.Node][3]*yaml.Node {
	numbers, ids := map[string]int{}, [3][]int{}
	for side, list := range versions {
		var texts []string
		for _, c := range yamlnode.Elements(list) {
			texts = append(texts, canonical(c))
		}
		ids[side] = number(numbers, texts)
	}
	out := map[*yaml.Node][3]*yaml.Node{}
	pieces, _ := mergeSequences(ids, nil)
	for _, p := range pieces {
		size := p.to[origin] - p.from[origin]
		if p.collide || p.to[upstream]-p.from[upstream] != size || p.to[local]-p.from[local] != size {
			continue
		}
		for i := range size {
			var v [3]*yaml.Node
			for side, list := range versions {
				v[side] = list.Content[p.from[side]+i]
			}
			if p.isChange() && !isOneElement(v) {
				continue
			}
			for _, n := range v {
				out[n] = v
			}
		}
	}
	return out
}

// isOneElement reports whether the versions in one place of a list without keys are of one element. Each side's has to be
// like origin's: it resembles that, or a map within it does, or it has the same comment above it or beside it. It may
// also equal the other side's, if that one is like origin's.
func isOneElement(v [3]*yaml.Node) bool {
	like := func(side identity.Side) bool {
		return resembleWithin(v[side], v[origin]) || sharesComment(v[side], v[origin])
	}
	if canonical(v[upstream]) == canonical(v[local]) {
		return like(upstream) || like(local)
	}
	return like(upstream) && like(local)
}

// resembleWithin reports whether two values resemble each other, or two maps of one name in them do.
func resembleWithin(a, b *yaml.Node) bool {
	if resemble(a, b) {
		return true
	}
	field := yamlnode.Fields(b)
	for key, value := range yamlnode.Pairs(a) {
		if other := field(key.Value); other != nil && value.Kind == yaml.MappingNode && resembleWithin(value, other) {
			return true
		}
	}
	return false
}

// sharesComment reports whether two elements have the same comment above them, or beside them.
func sharesComment(a, b *yaml.Node) bool {
	x, y := nodeSlots(a), nodeSlots(b)
	return x.head != "" && x.head == y.head || x.line != "" && x.line == y.line
}

// heads has the comments above the elements of a list without keys.
type heads struct {
	// by has the elements of each version by the comments above them.
	by [3]map[string][]*yaml.Node
	// values has the values of each version's elements and, last, of the result's; result has the result's elements.
	values [4]map[string]bool
	result map[*yaml.Node]bool
	// moved caches the results of movesIn.
	moved map[sideComment]bool
}

// sideComment is a comment of a side.
type sideComment struct {
	side identity.Side
	text string
}

func headsIn(versions [3]*yaml.Node, result *yaml.Node) heads {
	h := heads{result: map[*yaml.Node]bool{}, moved: map[sideComment]bool{}}
	for _, e := range result.Content {
		h.result[e] = true
	}
	for i, list := range [4]*yaml.Node{versions[origin], versions[upstream], versions[local], result} {
		h.values[i] = map[string]bool{}
		for _, e := range yamlnode.Elements(list) {
			h.values[i][canonical(e)] = true
		}
	}
	for side, list := range versions {
		h.by[side] = map[string][]*yaml.Node{}
		for _, e := range yamlnode.Elements(list) {
			head := nodeSlots(e).head
			h.by[side][head] = append(h.by[side][head], e)
		}
	}
	return h
}

// unmoved returns a side's comment above an element: origin's if only an element was inserted or removed between the
// comment and the one below it, and the result does not have that change.
func (h heads) unmoved(side identity.Side, own, origins string) string {
	same := func(text string) bool { return text == "" || len(h.by[side][text]) == len(h.by[origin][text]) }
	if same(own) && same(origins) && !h.movesIn(side, own) && !h.movesIn(side, origins) {
		return origins
	}
	return own
}

// movesIn reports whether a side's comment moves in the result too: to an element that the side inserted above the one
// that had it, or away from an element that the side removed.
func (h heads) movesIn(side identity.Side, text string) bool {
	at := sideComment{side, text}
	if _, known := h.moved[at]; !known && text != "" {
		from, to := h.only(origin, side, text), h.only(side, origin, text)
		switch {
		case from == nil || to == nil:
			h.moved[at] = false
		case !h.values[origin][canonical(to)]:
			h.moved[at] = h.result[to]
		default:
			h.moved[at] = !h.values[side][canonical(from)] && !h.values[3][canonical(from)]
		}
	}
	return h.moved[at]
}

// only returns the only element that has a comment above it on a side and not on the other, nil if there are several
// or none.
func (h heads) only(side, other identity.Side, text string) (found *yaml.Node) {
	others := map[string]bool{}
	for _, e := range h.by[other][text] {
		others[canonical(e)] = true
	}
	for _, e := range h.by[side][text] {
		switch {
		case others[canonical(e)]:
		case found != nil:
			return nil
		default:
			found = e
		}
	}
	return found
}

// unmovedHeads returns the fields, by their indices, between which upstream moved a comment by moving the fields alone: the
// comment still stands below the same field, and another one of origin's follows (rules/comments-and-text: merged comments).
// It returns nil for a list.
func (e *element) unmovedHeads() map[int]bool {
	if e.form != mapping || slices.Equal(e.order[origin], e.order[upstream]) {
		return nil
	}
	unmoved := map[int]bool{}
	was, is := e.headsByText(origin), e.headsByText(upstream)
	for text, o := range was {
		u, found := is[text]
		if !found || o.above != u.above || o.field == u.field {
			continue
		}
		from, to := e.children[o.field], e.children[u.field]
		if from.inAll() && to.has(origin) && from.head(upstream) == "" && to.head(origin) == "" {
			unmoved[o.field], unmoved[u.field] = true, true
		}
	}
	return unmoved
}

// fieldBelow is a field of a map, and the field above it, as indices.
type fieldBelow struct{ above, field int }

// headsByText returns the fields of a side's map that have another field above, by their comments. A comment that several
// fields have is left out.
func (e *element) headsByText(side identity.Side) map[string]fieldBelow {
	out, count := map[string]fieldBelow{}, map[string]int{}
	for at, i := range e.order[side] {
		text := e.children[i].head(side)
		if count[text]++; at > 0 && text != "" {
			out[text] = fieldBelow{e.order[side][at-1], i}
		}
		if count[text] > 1 {
			delete(out, text)
		}
	}
	return out
}

// head returns the comment above a field of a side.
func (e *element) head(side identity.Side) string { return fieldSlots(e.key[side], e.value[side]).head }
