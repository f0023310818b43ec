package merge

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// findDeleted finds the elements that one side removed, and the other gave another key and changed (rules/lists: re-keyed
// elements): each is one element, and a conflict under every policy. Of several the most alike belong together. Where both
// sides did so, both elements stay.
func (r rekeying) findDeleted() {
	gone := map[int]bool{}
	for _, o := range r.order[origin] {
		isKnown := r.childOn(upstream, o) >= 0 || r.childOn(local, o) >= 0
		if r.isRemoved(o, upstream) && r.isRemoved(o, local) && !isKnown {
			gone[o] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	var pairs [3]map[int]int
	for _, side := range [2]identity.Side{upstream, local} {
		pairs[side] = mostAlike(r.order[origin], r.unclaimed(side), func(o, i int) float64 {
			return r.likeness(r.children[o].value[origin], r.children[i].value[side], side)
		})
	}
	for _, side := range [2]identity.Side{upstream, local} {
		for o, i := range pairs[side] {
			if _, byBoth := pairs[otherSide(side)][o]; byBoth || !gone[o] || r.children[i].has(otherSide(side)) {
				continue
			}
			if r.successors[side] == nil {
				r.successors[side] = map[int]int{}
			}
			r.successors[side][o], r.inferred[o] = i, true
		}
	}
}

// mostAlike pairs the elements of two lists that are the most alike to each other, by a likeness above 0. Of equal ones the
// first count. It compares none if the lists are long.
func mostAlike(a, b []int, likeness func(i, j int) float64) map[int]int {
	if len(a)*len(b) > maxPairs {
		return nil
	}
	bestOfA, bestOfB := map[int]float64{}, map[int]float64{}
	ofA, ofB := map[int]int{}, map[int]int{}
	for _, i := range a {
		for _, j := range b {
			share := likeness(i, j)
			if share > bestOfA[i] {
				bestOfA[i], ofA[i] = share, j
			}
			if share > bestOfB[j] {
				bestOfB[j], ofB[j] = share, i
			}
		}
	}
	for i, j := range ofA {
		if ofB[j] != i {
			delete(ofA, i)
		}
	}
	return ofA
}

// maxPairs limits the pairs of elements that are compared for their likeness in a list.
const maxPairs = 10_000

// unclaimed returns the elements that a side added and that succeed no other.
func (r rekeying) unclaimed(side identity.Side) (added []int) {
	claimed := map[int]bool{}
	for _, to := range r.successors[side] {
		claimed[to] = true
	}
	for _, i := range r.order[side] {
		if r.isAdded(i, side) && !claimed[i] {
			added = append(added, i)
		}
	}
	return added
}

// forgetCopies leaves local's elements alone that are equal, but for their key, to an element that upstream deleted: they
// may be copies of local's own that stood beside it before an earlier merge, and a deletion never follows a key that was
// only inferred (rules/laws: merging again). On a branch nothing is merged again, and a new key is a change.
func (r rekeying) forgetCopies() {
	if r.rules.RemovalsCollide || len(r.keys) == 0 {
		return
	}
	for o, to := range r.successors[local] {
		was, is := r.children[o], r.children[to]
		_, follows := r.successors[upstream][o]
		isNamed := isPort(r.keys) && nameField(was.value[origin]) != ""
		if was.has(upstream) || follows || is.has(upstream) || isNamed {
			continue
		}
		delete(r.successors[local], o)
		is.copied = was.value[origin]
	}
}

// likeness returns how much alike an element of origin's and one of a side's under another key are, 0 if they do not
// count as one: the share of the content beside the key that they have in common, of at least a half, or of a third if
// their keys are alike. An element that is nothing but the value of its key needs a key that is alike, or a longer text.
func (r rekeying) likeness(o, n *yaml.Node, side identity.Side) float64 {
	if len(r.keys) == 0 { // a set: its elements are their own keys, so that each is a copy
		if r.rules.RemovalsCollide && resemble(o, n) {
			return 1
		}
		return 0
	}
	was, is := withoutKey(o, r.keys), withoutKey(n, r.keys)
	isCopy := same(nil, was, is)
	if len(was.Content) == 0 || isCopy && side == local && !r.rules.RemovalsCollide {
		return 0
	}
	share, least := shareOf(was, is), 0.5
	switch isValue := restOf(o, r.keys) == "" && restOf(n, r.keys) == ""; {
	case r.keysAlike(o, n) && isValue:
		least = 0
	case r.keysAlike(o, n):
		least = 0.3
	case isValue && isShort(yamlnode.Field(was, "value")):
		return 0
	}
	if share < least {
		return 0
	}
	return 1 + share
}

// isShort reports whether a value is a text that says too little to tell things apart.
func isShort(n *yaml.Node) bool {
	const enough = 8
	return n != nil && n.Kind == yaml.ScalarNode && len(n.Value) < enough
}

// keysAlike reports whether a part of the keys of two elements is a longer form of the other one's, such as LOG_LEVEL and
// APP_LOG_LEVEL, or nearly the same text.
func (r rekeying) keysAlike(o, n *yaml.Node) bool {
	for _, key := range r.keys {
		was, is := yamlnode.Lookup(o, strings.Split(key.Name, ".")...), yamlnode.Lookup(n, strings.Split(key.Name, ".")...)
		if isString(was) && isString(is) && namesAlike(was.Value, is.Value) {
			return true
		}
	}
	return false
}

// namesAlike reports whether a name is a longer form of another one, or has nearly all of its text. Case and separators do
// not count.
func namesAlike(a, b string) bool {
	const shortest = 3
	bare := func(r rune) rune {
		if strings.ContainsRune("-_./ ", r) {
			return -1
		}
		return r
	}
	a, b = strings.ToLower(strings.Map(bare, a)), strings.ToLower(strings.Map(bare, b))
	if len(a) > len(b) {
		a, b = b, a
	}
	head, tail := commonEnds(a, b)
	return len(a) >= shortest && (strings.Contains(b, a) || 7*(head+tail) >= 6*len(b))
}

// shareOf returns the share of the values of two maps that they have in common: an equal value counts whole, a text that
// resembles the other one nearly so. That there is a map or list counts half.
func shareOf(a, b *yaml.Node) float64 {
	const whole, part, form = 1, 0.7, 0.5
	common, total := 0.0, 0.0
	var compare func(a, b *yaml.Node)
	compare = func(a, b *yaml.Node) {
		weight := float64(whole)
		if n := cmp.Or(a, b); n.Kind != yaml.ScalarNode {
			weight = form
		}
		total += weight
		switch {
		case a == nil || b == nil || a.Kind != b.Kind:
		case a.Kind != yaml.ScalarNode || Same(a, b):
			common += weight
		case isString(a) && isString(b) && resemble(a, b):
			common += part
		}
		eachPair(a, b, compare)
	}
	eachPair(a, b, compare)
	if total == 0 {
		return 1
	}
	return common / total
}

// eachPair calls a function with the values of each key of two maps, and with the elements of two lists in their order; nil
// where one has none.
func eachPair(a, b *yaml.Node, f func(a, b *yaml.Node)) {
	isMap := func(n *yaml.Node) bool { return n != nil && n.Kind == yaml.MappingNode }
	if isMap(a) || isMap(b) {
		if isMap(a) {
			for key, v := range yamlnode.Pairs(a) {
				f(v, yamlnode.Field(b, key.Value))
			}
		}
		if isMap(b) {
			for key, v := range yamlnode.Pairs(b) {
				if !isMap(a) || yamlnode.Field(a, key.Value) == nil {
					f(nil, v)
				}
			}
		}
	}
	x, y := yamlnode.Elements(a), yamlnode.Elements(b)
	for i := range max(len(x), len(y)) {
		var p, q *yaml.Node
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		f(p, q)
	}
}
