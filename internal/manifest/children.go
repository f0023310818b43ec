package manifest

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// child is an entry of a collection of the result. at and up are the indices of its entries in the edited text and in
// upstream's, -1 if there is none.
type child struct {
	part   *Part
	at, up int
	// index is the child's place in the result.
	index int
	stays bool
}

// finder finds the fields of a place by name. It tries the next field first.
type finder struct {
	p     *place
	next  int
	index map[string]int
}

func (f *finder) find(key *yaml.Node) int {
	if f.p == nil || key == nil {
		return -1
	}
	name := yamlnode.Resolve(key).Value
	at := f.next
	if at >= len(f.p.entries) || !f.p.entries[at].isNamed(name) {
		if f.index == nil {
			f.buildIndex()
		}
		var found bool
		if at, found = f.index[name]; !found {
			return -1
		}
	}
	f.next = at + 1
	return at
}

func (f *finder) buildIndex() {
	f.index = make(map[string]int, len(f.p.entries))
	for i := range f.p.entries {
		if e := &f.p.entries[i]; e.key != nil && e.isNamed(yamlnode.Resolve(e.key).Value) {
			f.index[yamlnode.Resolve(e.key).Value] = i
		}
	}
}

// children lists the entries of the result's collection, with their counterparts in lp and up, which may be nil.
func (e *editor) children(lp, up *place, part *Part) []child {
	parts := part.Parts
	if parts == nil {
		parts = e.whole(lp, up, part)
	}
	children := make([]child, len(parts))
	ours, theirs, aliased := finder{p: lp}, finder{p: up}, e.aliased(lp)
	for i := range parts {
		k := &children[i]
		*k = child{part: &parts[i], at: -1, up: -1, index: i}
		own, other := e.entries(k.part)
		if part.Value.Kind == yaml.SequenceNode {
			k.at, k.up = indexIn(lp, own), indexIn(up, other)
			continue
		}
		if own.Value != nil {
			if k.at = ours.find(own.Key); k.at >= 0 && !e.keepsName(lp.entries[k.at].key, k.part.Key) {
				k.at = -1
			}
		} else if at, found := aliased[yamlnode.Resolve(k.part.Key).Value]; found {
			k.at = at
		}
		if other.Value != nil {
			k.up = theirs.find(other.Key)
		}
	}
	markStaying(e.text.bytes, lp, children)
	return children
}

// indexIn returns the index of an element in the entries of p, -1 if they lack it.
func indexIn(p *place, element Entry) int {
	if element.Value == nil || p == nil || element.At >= len(p.entries) {
		return -1
	}
	return element.At
}

// entries returns the part's entries in the edited text and in the other text.
func (e *editor) entries(p *Part) (own, other Entry) {
	if e.base == parts.Upstream {
		return p.Upstream, p.Local
	}
	return p.Local, p.Upstream
}

// whole makes parts of a collection that was taken whole: fields are paired by name; elements by index with the side
// that the collection comes from, and by value with the other side.
func (e *editor) whole(lp, up *place, part *Part) []Part {
	out := make([]Part, count(part.Value))
	for i := range out {
		out[i].From = part.From
		out[i].Key, out[i].Value = entryOf(part.Value, i)
	}
	named := part.Value.Kind == yaml.MappingNode
	ours, theirs := e.pairs(lp, up, out, part)
	for i := range out {
		own, other := entryAt(lp, ours, i), entryAt(up, theirs, i)
		if own.Value == nil && named && part.From == e.base { // the field comes from a merge key
			own = Entry{Key: out[i].Key, Value: out[i].Value}
		}
		if out[i].Local, out[i].Upstream = own, other; e.base == parts.Upstream {
			out[i].Local, out[i].Upstream = other, own
		}
	}
	return out
}

// pairs returns the indices of the entries of both sides for the parts of a collection that was taken whole.
func (e *editor) pairs(lp, up *place, out []Part, part *Part) (ours, theirs []int) {
	switch {
	case part.Value.Kind == yaml.MappingNode:
		return wholeEntries(lp, out), wholeEntries(up, out)
	case part.From == e.base:
		ours, theirs = inOrder(lp, out), aligned(up, out)
	case part.From == parts.Both:
		theirs = aligned(up, out)
	default:
		theirs = inOrder(up, out)
	}
	if ours == nil {
		ours = aligned(lp, out)
	}
	return ours, theirs
}

// wholeEntries finds the fields of p by the keys of parts.
func wholeEntries(p *place, parts []Part) []int {
	f := finder{p: p}
	at := make([]int, len(parts))
	for i := range parts {
		at[i] = f.find(parts[i].Key)
	}
	return at
}

// inOrder returns the indices of the entries of p in order, nil unless p has as many entries as parts.
func inOrder(p *place, parts []Part) []int {
	if p == nil || len(p.entries) != len(parts) {
		return nil
	}
	at := make([]int, len(parts))
	for i := range at {
		at[i] = i
	}
	return at
}

func entryAt(p *place, at []int, i int) Entry {
	if p == nil || at == nil || at[i] < 0 {
		return Entry{}
	}
	e := &p.entries[at[i]]
	return Entry{Key: e.key, Value: e.value.node, At: at[i]}
}

// Part is one place of a result, with its entries on the sides.
type Part = parts.Part

// Entry is a field or an element of one side.
type Entry = parts.Entry

// aligned returns for each new element of a list the index of its entry in p, -1 if there is none: equal elements in
// order, and between them elements of the same kind, if as many came as went.
func aligned(p *place, parts []Part) []int {
	if p == nil {
		return slices.Repeat([]int{-1}, len(parts))
	}
	at := []int{-1}
	if len(parts) != 1 || len(p.entries) != 1 || parts[0].Value.Kind != yamlnode.Resolve(p.entries[0].value.node).Kind { // else the two are a pair
		at = align.Compared(len(parts), len(p.entries), func(i, j int) bool {
			return sameValue(parts[i].Value, p.entries[j].value.node)
		})
	}
	pairChanged(p, parts, at)
	return at
}

// pairChanged pairs the elements between two pairs, if there are as many new as old ones, by their kind.
func pairChanged(p *place, parts []Part, at []int) {
	old := 0
	for i := 0; i <= len(at); i++ {
		start := i
		for i < len(at) && at[i] < 0 {
			i++
		}
		end := len(p.entries)
		if i < len(at) {
			end = at[i]
		}
		if i-start == end-old {
			for k := start; k < i; k++ {
				if j := old + k - start; parts[k].Value.Kind == yamlnode.Resolve(p.entries[j].value.node).Kind {
					at[k] = j
				}
			}
		}
		old = end + 1
	}
}

// markStaying marks the children that keep their place: the heaviest run in the order of the edited text, by number of
// lines, so that the fewest lines move.
func markStaying(text []byte, lp *place, children []child) {
	last, increasing := -1, true
	for i := range children {
		if children[i].at >= 0 {
			increasing = increasing && children[i].at > last
			last = children[i].at
		}
	}
	if increasing {
		for i := range children {
			children[i].stays = children[i].at >= 0
		}
		return
	}
	runs := heaviest{best: make([]int, len(lp.entries)+1), weight: make([]int, len(children)), before: make([]int, len(children))}
	for i := range runs.best {
		runs.best[i] = -1
	}
	top := -1
	for i := range children {
		if at := children[i].at; at >= 0 {
			runs.add(i, at, 1+bytes.Count(text[lp.entries[at].lead:max(lp.entries[at].lead, lp.entries[at].end)], []byte("\n")))
			if top < 0 || runs.weight[i] > runs.weight[top] {
				top = i
			}
		}
	}
	for ; top >= 0; top = runs.before[top] {
		children[top].stays = true
	}
}

// heaviest finds increasing runs with the greatest weight. best is a Fenwick tree by position, with the child that ends
// the heaviest run before each.
type heaviest struct{ best, weight, before []int }

// add adds a child at a position. No two children have the same position.
func (h *heaviest) add(child, at, weight int) {
	h.before[child] = -1
	for i := at; i > 0; i -= i & -i {
		if b := h.best[i]; b >= 0 && (h.before[child] < 0 || h.weight[b] > h.weight[h.before[child]]) {
			h.before[child] = b
		}
	}
	if h.weight[child] = weight; h.before[child] >= 0 {
		h.weight[child] += h.weight[h.before[child]]
	}
	for i := at + 1; i < len(h.best); i += i & -i {
		if b := h.best[i]; b < 0 || h.weight[b] < h.weight[child] {
			h.best[i] = child
		}
	}
}
