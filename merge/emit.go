package merge

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
)

// value builds the value of an element that the result has.
func (m emitter) value(e *element, d decision) (*yaml.Node, error) {
	switch d.verdict {
	case TakeLocal:
		return m.whole(e, local)
	case TakeUpstream:
		return m.whole(e, upstream)
	case takeMade:
		return m.commented(d.made, e.value, e.path), nil
	case MergeParts:
		return m.parts(e, d)
	}
	return nil, fmt.Errorf("%s: no rule decides what becomes of it", e.path)
}

// whole is side's version, with the comments that the other side changed in it.
func (m emitter) whole(e *element, side identity.Side) (*yaml.Node, error) {
	n := e.effective(side)
	if n == nil {
		return nil, fmt.Errorf("%s: %s has no version to take", e.path, side)
	}
	if !e.has(upstream) || !e.has(local) {
		return n, nil
	}
	grafted := m.commented(n, e.value, e.path)
	if e.form != associative || grafted.Kind != yaml.SequenceNode {
		return grafted, nil
	}
	return m.wholeElements(e, grafted, side)
}

// wholeElements gives a keyed list that is taken whole, because of elements that
// no key tells apart, the comments of those that a key does, by their key.
func (m emitter) wholeElements(e *element, list *yaml.Node, side identity.Side) (*yaml.Node, error) {
	content := slices.Clone(list.Content)
	for at, i := range e.order[side] {
		c := e.children[i]
		if c.unkeyed || !c.has(upstream) || !c.has(local) {
			continue
		}
		v, err := m.whole(c, side)
		if err != nil {
			return nil, err
		}
		content[at] = m.element(c, v, tail{}, false)
	}
	if slices.Equal(content, list.Content) {
		return list, nil
	}
	out := *list
	out.Content = content
	return &out, nil
}

// parts builds a map or keyed list out of the children that the result has. The
// container is local's, with local's style, unless that is missing or empty.
func (m emitter) parts(e *element, d decision) (*yaml.Node, error) {
	base, u := e.effective(local), e.effective(upstream)
	if base == nil || len(base.Content) == 0 && len(d.order) > 0 {
		base = u
	}
	t := m.tail([3]*yaml.Node{e.effective(origin), u, e.effective(local)}, e.path)
	content := make([]*yaml.Node, 0, 2*len(d.order))
	for at, i := range d.order {
		c, last := e.children[i], at+1 == len(d.order)
		v, err := m.value(c, d.children[i])
		if err != nil {
			return nil, err
		}
		if e.form == mapping {
			key, v := m.field(c, v, t, last)
			content = append(content, key, v)
		} else {
			content = append(content, m.element(c, v, t, last))
		}
	}
	if slices.Equal(content, base.Content) {
		return base, nil
	}
	out := *base
	out.Content = content
	return &out, nil
}

// field is a map entry with its comments.
func (m emitter) field(e *element, v *yaml.Node, t tail, last bool) (key, value *yaml.Node) {
	var s [3]slots
	for _, side := range identity.Sides() {
		s[side] = t.around(fieldSlots(e.key[side], e.value[side]), e.key[side])
	}
	side := e.shown()
	key, value = t.below(m.comments(e, s), last).onField(e.key[side], v, e.value[side])
	m.note(key, e.key[local], t.localBelow(s[local], last), e.key[upstream])
	m.note(value, e.value[local], nodeSlots(e.value[local]), e.value[upstream])
	return key, value
}

// element is a list element with its comments.
func (m emitter) element(e *element, v *yaml.Node, t tail, last bool) *yaml.Node {
	var s [3]slots
	for _, side := range identity.Sides() {
		s[side] = t.around(nodeSlots(e.value[side]), e.value[side])
	}
	n := t.below(m.comments(e, s), last).onNode(v)
	m.note(n, e.value[local], t.localBelow(s[local], last), e.value[upstream])
	return n
}

// comments are an element's comments in the result: merged where upstream and
// local both have it, else those of the one that does.
func (m emitter) comments(e *element, s [3]slots) slots {
	if e.has(upstream) && e.has(local) {
		return m.merge(s, e.path)
	}
	return s[e.shown()]
}

// shown is the side whose version of the element the user knows: local, unless
// local lacks it.
func (e *element) shown() identity.Side {
	if e.has(local) {
		return local
	}
	return upstream
}

// emitter builds the result's tree from what was decided. It never alters a
// node of a side: where a node of local's comes out as it was, it is that very
// node, so that what did not change can be told by comparing pointers.
type emitter struct {
	policy Policy
	// conflicts takes those of comments.
	conflicts *[]Conflict
	// own takes where local's comments are in the result.
	own ownComments
	// stands are the nodes of upstream's that nodes of the result stand for.
	stands map[*yaml.Node]*yaml.Node
}

// note notes that n stands in the result for a node of local's, which has these comments, and
// for one of upstream's. Either may be nil.
func (m emitter) note(n, ofLocal *yaml.Node, s slots, ofUpstream *yaml.Node) {
	m.own.note(n, ofLocal, s)
	if ofUpstream != nil && n != ofUpstream {
		m.stands[n] = ofUpstream
	}
}

// madeOf says what an element's result was made of: key and v are what was
// emitted for it.
func madeOf(e *element, d decision, key, v *yaml.Node, at [3]int) parts.Part {
	p := parts.Part{Key: key, Value: v, From: parts.Local}
	p.Local = parts.Entry{Key: e.key[local], Value: e.value[local], At: at[local]}
	p.Upstream = parts.Entry{Key: e.key[upstream], Value: e.value[upstream], At: at[upstream]}
	switch d.verdict {
	case TakeUpstream:
		p.From = parts.Upstream
		return p
	case takeMade:
		p.From = parts.Both
		return p
	case TakeLocal:
		return p
	}
	places := e.places()
	p.Parts = make([]parts.Part, len(d.order))
	for n, i := range d.order {
		if e.form == mapping {
			p.Parts[n] = madeOf(e.children[i], d.children[i], v.Content[2*n], v.Content[2*n+1], places[i])
		} else {
			p.Parts[n] = madeOf(e.children[i], d.children[i], nil, v.Content[n], places[i])
		}
	}
	return p
}

// places are the indices that the children have on the sides.
func (e *element) places() [][3]int {
	places := make([][3]int, len(e.children))
	for _, side := range identity.Sides() {
		for n, i := range e.order[side] {
			places[i][side] = n
		}
	}
	return places
}
