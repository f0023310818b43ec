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
		return m.withComments(d.made, m.full(e.value), e.path), nil
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
	n = m.withComments(n, m.full(e.value), e.path)
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
		content[at] = m.element(c, v, tail{}, 0, false)
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
	versions = m.full(versions)
	c := e.collection(d)
	c.twice = m.twice
	if e.inAll() {
		c.close(m.full(e.value))
		for i, child := range e.children {
			if e.form == mapping && c.entries[i].inResult && d.children[i].isFull(child) {
				m.fill(&c, i, child.value)
			}
		}
	}
	values := make([]*yaml.Node, len(e.children))
	for _, i := range d.order {
		v, err := m.value(e.children[i], d.children[i])
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	t := m.tail(versions, e.path)
	if e.inAll() {
		m.divide(c, versions, &t)
	}
	content := make([]*yaml.Node, 0, 2*len(d.order))
	for at, i := range d.order {
		c, last := e.children[i], at+1 == len(d.order)
		if e.form == mapping {
			key, v := m.field(c, values[i], t, i, last)
			content = append(content, key, v)
		} else {
			content = append(content, m.element(c, values[i], t, i, last))
		}
	}
	return withContent(base, content), nil
}

// divide divides the comments in the gaps of a map or list.
func (m emitter) divide(c collection, versions [3]*yaml.Node, t *tail) {
	t.between, _ = c.divide()
	if end, found := t.between[commentSlot{entry: atEnd}]; found {
		if slices.ContainsFunc(versions[:], func(n *yaml.Node) bool { return n.FootComment != "" }) {
			m.ends[versions[origin]] = end
		} else {
			t.text = m.mergeSlot(end[origin], end[upstream], end[local], c.path)
		}
	}
}

// field returns a map entry with its comments. It is the entry at of its map.
func (m emitter) field(e *element, v *yaml.Node, t tail, at int, last bool) (key, value *yaml.Node) {
	var s [3]slots
	values := m.full(e.value)
	for side := range s {
		s[side] = t.cut(fieldSlots(e.key[side], values[side]), e.key[side])
	}
	m.putEnd(&s, values[origin], true)
	s[upstream].dropEnd(s[origin], v, values[local])
	side := e.shownSide()
	return withTail(m.comments(e, &s, v, t, at), t.text, last).onField(e.key[side], v, e.value[side])
}

// element returns a list element with its comments. It is the entry at of its list.
func (m emitter) element(e *element, v *yaml.Node, t tail, at int, last bool) *yaml.Node {
	var s [3]slots
	for side, n := range e.value {
		s[side] = t.cut(nodeSlots(n), n)
	}
	m.putEnd(&s, e.value[origin], false)
	return withTail(m.comments(e, &s, v, t, at), t.text, last).onNode(v)
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
func (m emitter) comments(e *element, s *[3]slots, v *yaml.Node, t tail, at int) slots {
	if t.between.apply(at, s) || e.inBoth() {
		return m.merge(withSetter(*s, e.versions(), v), e.path)
	}
	if side := e.shownSide(); side == local {
		return s[local]
	}
	s[upstream].head, s[upstream].foot = m.once(s[upstream].head, ""), m.once(s[upstream].foot, "")
	return s[upstream]
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
	// ends has the divided comments at the ends of maps and lists, by origin's version of these.
	ends map[*yaml.Node][3]string
	// twice has the lines of comments that came out too often.
	twice map[string]int
	// filled has the empty values that a side filled as maps or lists, with the comments within.
	filled map[*yaml.Node]*yaml.Node
}

func newEmitter(policy Policy, conflicts *[]Conflict) emitter {
	return emitter{policy: policy, conflicts: conflicts, ends: map[*yaml.Node][3]string{}, filled: map[*yaml.Node]*yaml.Node{}}
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
// list, or by their position if a side changed them in place.
func (m emitter) withComments(n *yaml.Node, versions [3]*yaml.Node, path *Path) *yaml.Node {
	for _, v := range versions {
		if v != nil && v.Kind != n.Kind {
			return n
		}
	}
	switch {
	case len(n.Content) == 0 || versions[upstream] == nil || versions[local] == nil:
	case n == versions[local] && identical(versions[origin], versions[upstream]), n == versions[upstream] && identical(versions[origin], versions[local]):
	case n.Kind == yaml.MappingNode:
		return withContent(n, m.mapWithComments(n, versions, path))
	case n.Kind == yaml.SequenceNode:
		return withContent(n, m.listWithComments(n, versions, path))
	}
	return n
}

func (m emitter) mapWithComments(n *yaml.Node, versions [3]*yaml.Node, path *Path) []*yaml.Node {
	var names []string
	var entries [][3][2]*yaml.Node
	index := map[string]int{}
	c := collection{path: path, twice: m.twice}
	find := func(name string) int {
		at, found := index[name]
		if !found {
			at = len(entries)
			index[name], entries = at, append(entries, [3][2]*yaml.Node{})
			names = append(names, name)
		}
		return at
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		c.result = append(c.result, find(n.Content[i].Value))
	}
	for side, of := range versions {
		for i := 0; of != nil && i+1 < len(of.Content); i += 2 {
			at := find(of.Content[i].Value)
			entries[at][side] = [2]*yaml.Node{of.Content[i], of.Content[i+1]}
			c.order[side] = append(c.order[side], at)
		}
	}
	if versions[origin] != nil {
		for at, e := range entries {
			c.add([3]*yaml.Node{e[0][0], e[1][0], e[2][0]}, at < len(c.result))
		}
		c.close(versions)
		for at := range c.result {
			if isFull(n.Content[2*at+1]) {
				m.fill(&c, at, [3]*yaml.Node{entries[at][0][1], entries[at][1][1], entries[at][2][1]})
			}
		}
	}
	values := make([]*yaml.Node, len(entries))
	for at := range c.result {
		e := entries[at]
		values[at] = m.withComments(n.Content[2*at+1], m.full([3]*yaml.Node{e[0][1], e[1][1], e[2][1]}), path)
	}
	t := m.tail(versions, path)
	if versions[origin] != nil {
		m.divide(c, versions, &t)
	}
	var content []*yaml.Node
	for at := range c.result {
		var k, v [3]*yaml.Node
		var s [3]slots
		for side, e := range entries[at] {
			k[side], v[side] = e[0], e[1]
		}
		v = m.full(v)
		for side := range v {
			s[side] = t.cut(fieldSlots(k[side], v[side]), k[side])
		}
		key, value := n.Content[2*at], values[at]
		comments := t.cut(fieldSlots(key, n.Content[2*at+1]), key)
		m.putEnd(&s, v[origin], true)
		s[upstream].dropEnd(s[origin], value, v[local])
		if t.between.apply(at, &s) || v[upstream] != nil && v[local] != nil {
			comments = m.merge(withSetter(s, v, value), path)
		}
		key, value = withTail(comments, t.text, at+1 == len(c.result)).onField(key, value, n.Content[2*at+1])
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
	inPlace := sync.OnceValue(func() map[*yaml.Node][3]*yaml.Node { return changedInPlace(versions, index) })
	c, entries, values := collection{path: path, twice: m.twice}, make([][3]*yaml.Node, len(n.Content)), slices.Clone(n.Content)
	known, owner := map[*yaml.Node]int{}, map[*yaml.Node]identity.Side{}
	for _, side := range identity.Sides() {
		for _, element := range yamlnode.Elements(versions[side]) {
			owner[element] = side
		}
	}
	for i, element := range n.Content {
		v, name := [3]*yaml.Node{}, names[len(versions)][i]
		for side := range v {
			v[side] = index[side][name]
		}
		if slices.Contains(v[:], nil) {
			if pair, ok := inPlace()[cmp.Or(v[upstream], v[local])]; ok {
				v = pair
			}
		}
		if side, found := owner[element]; found && v == [3]*yaml.Node{} {
			v[side] = element // one of several equal ones
		}
		for _, of := range v {
			known[of] = i
		}
		if entries[i] = v; v[upstream] != nil && v[local] != nil {
			values[i] = m.withComments(element, v, path)
		}
		c.result = append(c.result, i)
	}
	t := m.tail(versions, path)
	if versions[origin] != nil {
		inResult := len(entries)
		for side, list := range versions {
			for j, of := range yamlnode.Elements(list) {
				at, found := known[of]
				if !found && names[side][j] != "" {
					v := [3]*yaml.Node{index[0][names[side][j]], index[1][names[side][j]], index[2][names[side][j]]}
					at, found = len(entries), true
					entries = append(entries, v)
					for _, of := range v {
						known[of] = at
					}
				} else if !found {
					at, entries = len(entries), append(entries, [3]*yaml.Node{})
					entries[at][side] = of
				}
				c.order[side] = append(c.order[side], at)
			}
		}
		for at, v := range entries {
			c.add(v, at < inResult)
		}
		c.close(versions)
		m.divide(c, versions, &t)
	}
	content := slices.Clone(n.Content)
	for i, element := range n.Content {
		v, s := entries[i], [3]slots{}
		for side := range v {
			s[side] = t.cut(nodeSlots(v[side]), v[side])
		}
		comments := t.cut(nodeSlots(element), element)
		m.putEnd(&s, v[origin], false)
		if t.between.apply(i, &s) || v[upstream] != nil && v[local] != nil {
			comments = m.merge(withSetter(s, v, values[i]), path)
		}
		content[i] = withTail(comments, t.text, i+1 == len(n.Content)).onNode(values[i])
	}
	return content
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
