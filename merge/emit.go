package merge

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// value builds the value of an element in the result.
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
	if !e.inBoth() || e.equal {
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
		content[at] = m.element(c, v, nil, nil)
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
	between, unmoved := m.noteEnd(e.divide(d), versions[origin]), e.unmovedHeads()
	content := make([]*yaml.Node, 0, 2*len(d.order))
	commented := e.commentedOutEntries(d)
	var carried []string // commented-out elements at the end of the list above
	for _, i := range d.order {
		c := e.children[i]
		v, err := m.child(c, d.children[i], between)
		if err != nil {
			return nil, err
		}
		if e.form != mapping {
			content = append(content, withoutRepeated(m.element(c, v, between, commented.above[i]), commented.repeated[i]))
			continue
		}
		var below []string
		if c.isInColumnOfKey() {
			below = m.below[c.value[origin]]
			delete(m.below, c.value[origin])
		}
		key, v := m.field(c, v, between, unmoved[i], slices.Concat(carried, commented.above[i]))
		content, carried = append(content, withoutRepeated(key, commented.repeated[i]), v), below
	}
	if end := slices.Concat(carried, commented.below); len(end) > 0 {
		m.below[e.value[origin]] = end
	}
	return withContent(base, content), nil
}

// isInColumnOfKey reports whether local's version is a list in the column of its key: a comment in that column below its last
// element is above the next field, or at the end of the map.
func (e *element) isInColumnOfKey() bool {
	return e.form == associative && e.inAll() && isFull(e.value[local]) && e.value[local].Column == e.key[local].Column
}

// field returns a map entry with its comments. If unmoved, upstream changed nothing in the comment above it. above has
// commented-out entries.
func (m emitter) field(e *element, v *yaml.Node, between division, unmoved bool, above []string) (key, value *yaml.Node) {
	var s [3]slots
	for side := range s {
		s[side] = fieldSlots(e.key[side], e.value[side])
	}
	if unmoved {
		s[upstream].head = s[origin].head
	}
	m.putEnd(&s, e.value[origin], true)
	s[upstream].dropEnd(s[origin], v, e.value[local])
	side, comments := e.shownSide(), m.comments(e, &s, v, between)
	comments.head = withHeir(above, comments.head)
	comments.tail = withHeir(m.below[e.value[origin]], comments.tail)
	key, value = comments.onField(e.key[side], v, e.value[side])
	m.note(key, e.key[local], s[local], e.key[upstream])
	m.note(value, e.value[local], nodeSlots(e.value[local]), e.value[upstream])
	return key, value
}

// element returns a list element with its comments, and with those above it that stood above an element which is gone.
func (m emitter) element(e *element, v *yaml.Node, between division, above []string) *yaml.Node {
	var s [3]slots
	for side, n := range e.value {
		s[side] = nodeSlots(n)
	}
	m.putEnd(&s, e.value[origin], false)
	comments := m.comments(e, &s, v, between)
	comments.head = withHeir(above, comments.head)
	comments.foot = withHeir(m.below[e.value[origin]], comments.foot)
	n := comments.onNode(v)
	m.note(n, e.value[local], s[local], e.value[upstream])
	return n
}

// putEnd puts the divided comment at the end of a map or list into its slots: a field has it as its tail, an element as
// its foot.
func (m emitter) putEnd(s *[3]slots, of *yaml.Node, field bool) {
	text, divided := m.ends[of]
	for side := range s {
		switch {
		case divided && field:
			s[side].tail = text[side]
		case divided:
			s[side].foot = text[side]
		}
	}
}

// dropEnd makes upstream's comment at the end of a map or list origin's, if local and the result have no parts there: it
// goes along with these (rules/conflicts: comments of deleted fields).
func (s *slots) dropEnd(o slots, result, l *yaml.Node) {
	if l != nil && len(l.Content) == 0 && len(result.Content) == 0 {
		s.tail = o.tail
	}
}

// comments returns the comments of an element in the result, whose value is v: merged if upstream and local have it, or the
// comments around it are divided. It puts the divided ones into s.
func (m emitter) comments(e *element, s *[3]slots, v *yaml.Node, between division) slots {
	if between.apply(e, s) || e.inBoth() {
		return m.merge(withSetter(*s, e.versions(), v), e.path)
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
	// ends has the divided comments at the ends of maps and lists, by origin's version of these.
	ends map[*yaml.Node][3]string
	// below has the commented-out entries at the ends of maps and lists, likewise.
	below map[*yaml.Node][]string
}

func newEmitter(policy Policy, conflicts *[]Conflict) emitter {
	return emitter{policy: policy, conflicts: conflicts, localComments: localComments{}, fromUpstream: map[*yaml.Node]*yaml.Node{}, ends: map[*yaml.Node][3]string{}, below: map[*yaml.Node][]string{}}
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
	p.Origin = parts.Entry{Key: e.key[origin], Value: e.value[origin], At: at[origin]}
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
	p.Stale = e.stale(d)
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

// stale returns local's keys or elements that upstream deleted, if the comment above is origin's.
func (e *element) stale(d decision) (out map[*yaml.Node]bool) {
	for _, i := range e.order[local] {
		c := e.children[i]
		o, l := cmp.Or(c.key[origin], c.value[origin]), cmp.Or(c.key[local], c.value[local])
		if d.children[i].verdict == Drop && o != nil && !c.has(upstream) && nodeSlots(o).head == nodeSlots(l).head {
			if out == nil {
				out = map[*yaml.Node]bool{}
			}
			out[l] = true
		}
	}
	return out
}

// withComments merges the comments inside a list or struct that is taken whole: a setter that upstream put on an
// argument arrives in local's arguments, and a comment of the user's stays on an argument that upstream kept. n is
// one of the versions. It pairs map entries by their keys, and list elements by equal values that are unique in each
// list, or by their place between others.
func (m emitter) withComments(n *yaml.Node, versions [3]*yaml.Node, path *Path) *yaml.Node {
	for _, v := range versions {
		if v != nil && v.Kind != n.Kind {
			return n
		}
	}
	switch {
	case len(n.Content) == 0 || versions[upstream] == nil || versions[local] == nil:
	case n.Kind == yaml.MappingNode:
		return withContent(n, m.mapWithComments(n, versions, path))
	case n.Kind == yaml.SequenceNode:
		return withContent(n, m.listWithComments(n, versions, path))
	}
	return n
}

func (m emitter) mapWithComments(n *yaml.Node, versions [3]*yaml.Node, path *Path) []*yaml.Node {
	var index [3]func(name string) int
	for side, v := range versions {
		index[side] = yamlnode.Indices(v)
	}
	between := m.noteEnd(divideFields(versions, n), versions[origin])
	var content []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		var k, v [3]*yaml.Node
		var s [3]slots
		for side, of := range versions {
			if at := index[side](n.Content[i].Value); at >= 0 {
				k[side], v[side] = of.Content[at], of.Content[at+1]
			}
			s[side] = fieldSlots(k[side], v[side])
		}
		key, value := n.Content[i], m.withComments(n.Content[i+1], v, path)
		comments := fieldSlots(key, n.Content[i+1])
		m.putEnd(&s, v[origin], true)
		s[upstream].dropEnd(s[origin], value, v[local])
		if between.apply(key.Value, &s) || v[upstream] != nil && v[local] != nil {
			comments = m.merge(withSetter(s, v, value), path)
		}
		key, value = comments.onField(key, value, n.Content[i+1])
		m.note(key, k[local], s[local], k[upstream])
		m.note(value, v[local], nodeSlots(v[local]), v[upstream])
		content = append(content, key, value)
	}
	return content
}

func (m emitter) listWithComments(n *yaml.Node, versions [3]*yaml.Node, path *Path) []*yaml.Node {
	names := elementNames(n, versions)
	var index [3]map[string]*yaml.Node
	for side, list := range versions {
		index[side] = elementsByName(list, names[side])
	}
	between, heads := m.noteEnd(divideElements(versions, n), versions[origin]), headsIn(versions, n)
	aligned := sync.OnceValue(func() map[*yaml.Node][3]*yaml.Node { return alignedElements(versions) })
	content, above := slices.Clone(n.Content), ""
	for i, c := range n.Content {
		v, s, name := [3]*yaml.Node{}, [3]slots{}, names[len(versions)][i]
		for side := range v {
			v[side] = index[side][name]
		}
		if slices.Contains(v[:], nil) {
			if pair, ok := aligned()[c]; ok {
				v = pair
			}
		}
		for _, side := range identity.Sides() {
			s[side] = nodeSlots(v[side])
			if v[side] != c {
				s[side].head = heads.unmoved(side, s[side].head, s[origin].head)
			}
			if side != origin {
				s[side].head = heads.ofPlace(side, s[side].head, s[origin].head, above)
			}
		}
		element, comments := c, nodeSlots(c)
		for side, of := range v {
			if of == c {
				comments.head = s[side].head
			}
		}
		inBoth := v[upstream] != nil && v[local] != nil
		if inBoth {
			element = m.withComments(c, v, path)
		}
		m.putEnd(&s, v[origin], false)
		if between.apply(name, &s) || inBoth {
			comments = m.merge(withSetter(s, v, element), path)
		}
		content[i] = comments.onNode(element)
		if above = yamlnode.JoinComments("\n", above, comments.head); inBoth {
			above = ""
		}
		m.note(content[i], v[local], s[local], v[upstream])
	}
	m.endOfPlace(versions, heads, above)
	return content
}

// endOfPlace is heads.ofPlace of the comments at the end of a list.
func (m emitter) endOfPlace(versions [3]*yaml.Node, h heads, above string) {
	if versions[origin] == nil {
		return
	}
	ends := m.endsOf(versions)
	for _, side := range [2]identity.Side{upstream, local} {
		ends[side] = h.ofPlace(side, ends[side], ends[origin], above)
	}
	if ends != m.endsOf(versions) {
		m.ends[versions[origin]] = ends
	}
}

// endsOf returns the comments at the end of the versions of a list.
func (m emitter) endsOf(versions [3]*yaml.Node) [3]string {
	text, divided := m.ends[versions[origin]]
	for side, n := range versions {
		if !divided && n != nil {
			text[side] = n.FootComment
		}
	}
	return text
}

// elementNames returns the names of the elements of three versions of a list and, last, of the result. Elements with one
// name are versions of each other. A value that is unique in its list is a name; equal elements are numbered if all lists
// have the same number of them. Others have no name, "".
func elementNames(result *yaml.Node, versions [3]*yaml.Node) (names [4][]string) {
	var counts [len(names)]map[string]int
	for i, list := range [len(names)]*yaml.Node{versions[0], versions[1], versions[2], result} {
		counts[i] = map[string]int{}
		for _, c := range yamlnode.Elements(list) {
			text := canonical(c)
			names[i] = append(names[i], text)
			counts[i][text]++
		}
	}
	for i := range names {
		seen := map[string]int{}
		for at, text := range names[i] {
			switch count := counts[i][text]; {
			case count == 1:
			case slices.ContainsFunc(counts[:], func(c map[string]int) bool { return c[text] != count }):
				names[i][at] = ""
			default:
				seen[text]++
				names[i][at] = fmt.Sprint(text, "\x00", seen[text])
			}
		}
	}
	return names
}

// elementsByName indexes the elements of a list that have a name.
func elementsByName(list *yaml.Node, names []string) map[string]*yaml.Node {
	index := map[string]*yaml.Node{}
	for i, c := range yamlnode.Elements(list) {
		if names[i] != "" {
			index[names[i]] = c
		}
	}
	return index
}
