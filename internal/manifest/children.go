package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// kid is an entry of a result's collection: at and up are the entries of the
// text that is edited and of upstream's, -1 where there is none.
type kid struct {
	part   *Part
	at, up int
	// index is the kid's place in the result.
	index int
	stays bool
}

// finder finds the fields of a place by name, the next one at once.
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
	at, found := f.next, f.next < len(f.p.entries) && f.p.entries[f.next].isNamed(name)
	if !found {
		f.learn()
		at, found = f.index[name]
	}
	if !found {
		return -1
	}
	f.next = at + 1
	return at
}

func (f *finder) learn() {
	if f.index != nil {
		return
	}
	f.index = make(map[string]int, len(f.p.entries))
	for i := range f.p.entries {
		if e := &f.p.entries[i]; e.key != nil && e.isNamed(yamlnode.Resolve(e.key).Value) {
			f.index[yamlnode.Resolve(e.key).Value] = i
		}
	}
}

// kids lists the entries of a collection that the result has, with their
// counterparts in lp and up, which may be nil.
func (e *editor) kids(lp, up *place, part *Part) []kid {
	parts := part.Parts
	if parts == nil {
		parts = e.whole(lp, up, part)
	}
	kids := make([]kid, len(parts))
	ours, theirs, aliased := finder{p: lp}, finder{p: up}, e.aliased(lp)
	for i := range parts {
		k := kid{part: &parts[i], at: -1, up: -1, index: i}
		own, other := e.mine(k.part), e.theirs(k.part)
		if part.Value.Kind == yaml.MappingNode {
			if own.Value != nil {
				if k.at = ours.find(own.Key); k.at >= 0 && !e.names(lp.entries[k.at].key, k.part.Key) {
					k.at = -1
				}
			} else if at, found := aliased[yamlnode.Resolve(k.part.Key).Value]; found {
				k.at = at
			}
			if other.Value != nil {
				k.up = theirs.find(other.Key)
			}
		} else {
			if own.Value != nil && own.At < len(lp.entries) {
				k.at = own.At
			}
			if other.Value != nil && up != nil && other.At < len(up.entries) {
				k.up = other.At
			}
		}
		kids[i] = k
	}
	markStaying(e.text.bytes, lp, kids)
	return kids
}

// mine is what a part stands for in the text that is edited.
func (e *editor) mine(p *Part) Entry {
	if e.base == parts.Upstream {
		return p.Upstream
	}
	return p.Local
}

// theirs is what a part stands for in the other text.
func (e *editor) theirs(p *Part) Entry {
	if e.base == parts.Upstream {
		return p.Local
	}
	return p.Upstream
}

// whole makes parts of a collection that was taken whole: fields answer to each
// other by name, elements by their place on the side that they are from, and to
// those of the text that is edited by what they say.
func (e *editor) whole(lp, up *place, part *Part) []Part {
	n, step := part.Value.Content, 1
	if part.Value.Kind == yaml.MappingNode {
		step = 2
	}
	out := make([]Part, len(n)/step)
	for i := range out {
		p := &out[i]
		p.From, p.Value = part.From, n[step*i+step-1]
		if step == 2 {
			p.Key = n[2*i]
		}
	}
	ours, theirs := wholeEntries(lp, out), wholeEntries(up, out)
	if step == 1 {
		ours, theirs = nil, nil
		switch part.From {
		case e.base:
			ours, theirs = inOrder(lp, out), aligned(up, out)
		case parts.Both:
			theirs = aligned(up, out)
		default:
			theirs = inOrder(up, out)
		}
		if ours == nil {
			ours = aligned(lp, out)
		}
	}
	for i := range out {
		own, other := entryAt(lp, ours, i), entryAt(up, theirs, i)
		if own.Value == nil && step == 2 && part.From == e.base { // a merge key brings it
			own = Entry{Key: out[i].Key, Value: out[i].Value}
		}
		if out[i].Local, out[i].Upstream = own, other; e.base == parts.Upstream {
			out[i].Local, out[i].Upstream = other, own
		}
	}
	return out
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

// inOrder says that parts are the entries of p, if there are as many.
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
	out := Entry{Value: e.value.node, At: at[i]}
	out.Key = e.key
	return out
}
