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
		return m.withComments(d.made, e.value, e.path), nil
	case MergeParts:
		return m.parts(e, d)
	}
	return nil, fmt.Errorf("%s: no rule decides its value", e.path)
}

// whole returns a side's version, with the other side's changes of comments in it.
func (m emitter) whole(e *element, side identity.Side) (*yaml.Node, error) {
	n := e.effective(side)
	if n == nil {
		return nil, fmt.Errorf("%s: %s has no version to take", e.path, side)
	}
	if !e.inBoth() {
		return n, nil
	}
	n = m.withComments(n, e.value, e.path)
	if e.form != associative || n.Kind != yaml.SequenceNode {
		return n, nil
	}
	return m.wholeElements(e, n, side)
}

// wholeElements merges the comments of the keyed elements in a list that is taken whole because of unkeyed elements.
func (m emitter) wholeElements(e *element, list *yaml.Node, side identity.Side) (*yaml.Node, error) {
	content := slices.Clone(list.Content)
	for at, i := range e.order[side] {
		c := e.children[i]
		if c.unkeyed || !c.inBoth() {
			continue
		}
		v, err := m.whole(c, side)
		if err != nil {
			return nil, err
		}
		content[at] = m.element(c, v, tail{}, false)
	}
	return withContent(list, content), nil
}

// parts builds a map or keyed list from its children. The node is local's, with local's style, unless that is missing
// or empty.
func (m emitter) parts(e *element, d decision) (*yaml.Node, error) {
	versions := e.versions()
	base := versions[local]
	if base == nil || len(base.Content) == 0 && len(d.order) > 0 {
		base = versions[upstream]
	}
	t := m.tail(versions, e.path)
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
	return withContent(base, content), nil
}

// field returns a map entry with its comments.
func (m emitter) field(e *element, v *yaml.Node, t tail, last bool) (key, value *yaml.Node) {
	var s [3]slots
	for side := range s {
		s[side] = t.cut(fieldSlots(e.key[side], e.value[side]), e.key[side])
	}
	side := e.shownSide()
	key, value = withTail(m.comments(e, s), t.text, last).onField(e.key[side], v, e.value[side])
	m.note(key, e.key[local], withTail(s[local], t.local, last), e.key[upstream])
	m.note(value, e.value[local], nodeSlots(e.value[local]), e.value[upstream])
	return key, value
}

// element returns a list element with its comments.
func (m emitter) element(e *element, v *yaml.Node, t tail, last bool) *yaml.Node {
	var s [3]slots
	for side, n := range e.value {
		s[side] = t.cut(nodeSlots(n), n)
	}
	n := withTail(m.comments(e, s), t.text, last).onNode(v)
	m.note(n, e.value[local], withTail(s[local], t.local, last), e.value[upstream])
	return n
}

// comments returns the comments of an element in the result: merged if upstream and local have it.
func (m emitter) comments(e *element, s [3]slots) slots {
	if e.inBoth() {
		return m.merge(s, e.path)
	}
	return s[e.shownSide()]
}

// shownSide returns the side whose version of the element the user knows: local if it has one.
func (e *element) shownSide() identity.Side {
	if e.has(local) {
		return local
	}
	return upstream
}

// emitter builds the tree of the result. It never alters a node of a side, and returns local's own nodes for
// everything that did not change, so that comparing pointers finds the changes.
type emitter struct {
	policy Policy
	// conflicts collects the conflicts of comments.
	conflicts *[]Conflict
	// localComments has local's comments by the nodes of the result, and fromUpstream upstream's nodes.
	localComments localComments
	fromUpstream  map[*yaml.Node]*yaml.Node
}

// note notes that n is the result for a node of local's with these comments, and for a node of upstream's, if any.
func (m emitter) note(n, localNode *yaml.Node, s slots, upstreamNode *yaml.Node) {
	if localNode != nil && n != localNode && s != (slots{}) {
		m.localComments[n] = s
	}
	if upstreamNode != nil && n != upstreamNode {
		m.fromUpstream[n] = upstreamNode
	}
}

// partFor describes an element's result, key and v, by the sides' versions, which are at these indices.
func partFor(e *element, d decision, key, v *yaml.Node, at [3]int) parts.Part {
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
	indices := e.indices()
	p.Parts = make([]parts.Part, len(d.order))
	for n, i := range d.order {
		var key *yaml.Node
		value := v.Content[n]
		if e.form == mapping {
			key, value = v.Content[2*n], v.Content[2*n+1]
		}
		p.Parts[n] = partFor(e.children[i], d.children[i], key, value, indices[i])
	}
	return p
}
