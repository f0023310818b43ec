package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// changedInPlace returns the versions of the elements that upstream or local changed in their place in a list, by each
// side's version: as many elements of all sides stand there between unchanged ones, one side or both alike changed them,
// they are of one element, and they are unique in their lists.
func changedInPlace(versions [3]*yaml.Node, unique [3]map[string]*yaml.Node) map[*yaml.Node][3]*yaml.Node {
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
		if p.collide || !p.isChange() || p.to[upstream]-p.from[upstream] != size || p.to[local]-p.from[local] != size {
			continue
		}
		for i := range size {
			var v [3]*yaml.Node
			paired := true
			for side, list := range versions {
				v[side] = list.Content[p.from[side]+i]
				paired = paired && unique[side][canonical(v[side])] == v[side]
			}
			if !paired || !isOneElement(v) {
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
