package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// rekeyed lays elements that a side has under another key at the place where origin has
// them (rules/lists: re-keyed elements). elements are the places of one list.
func rekeyed(elements []*place, keys []Key) []*place {
	if len(keys) == 0 {
		return elements
	}
	m := moves{elements: elements, keys: keys, gone: map[*place]bool{}}
	if keys[0].Name == identified {
		return m.inNamespaces()
	}
	theirs, ours := m.of(Upstream, Local, m.portName, m.rest), m.of(Local, Upstream, m.portName, m.rest)
	for _, o := range elements {
		if len(o.spots[Origin]) != 1 || theirs[o] == nil && ours[o] == nil {
			continue
		}
		u, l := at(o, Upstream, theirs, ours), at(o, Local, ours, theirs)
		isOwn := u == nil && l != o && len(l.spots[Result]) > 0 && m.rest(l.spots[Local][0]) == m.rest(o.spots[Origin][0])
		if !isOwn { // local's own element stays though it is like one that upstream deleted (rules/laws: merging again)
			m.lay(o, u, l)
		}
	}
	m.added()
	return slices.DeleteFunc(elements, func(p *place) bool { return m.gone[p] })
}

// inNamespaces lays items of a List that local moved to another namespace at the place where origin
// has them (rules/schemas: lists of resources). An item that upstream deleted goes if local changed
// nothing else of it; if the result has it, it may be local's own.
func (m moves) inNamespaces() []*place {
	ours := m.of(Local, Upstream, kindAndName)
	for _, o := range m.elements {
		to := ours[o]
		switch {
		case to == nil:
		case len(o.spots[Upstream]) > 0:
			m.lay(o, o, to)
		case len(to.spots[Upstream])+len(to.spots[Result]) == 0 && nameless(o.spots[Origin][0].value) == nameless(to.spots[Local][0].value):
			m.gone[to] = true
		}
	}
	return slices.DeleteFunc(m.elements, func(p *place) bool { return m.gone[p] })
}

// kindAndName identifies a resource in any namespace, "" if it has no name.
func kindAndName(s spot) string {
	name := textOf(field(field(s.value, "metadata"), "name"))
	if name == "" {
		return ""
	}
	return textOf(field(s.value, "kind")) + " " + name
}

// moves has the elements of a list; gone are the ones that were laid elsewhere.
type moves struct {
	elements []*place
	keys     []Key
	gone     map[*place]bool
}

// at returns the place at which a side has an element of origin, nil if it has none. The key that
// the other side gave it tells more than a likeness (rules/lists: re-keyed elements).
func at(o *place, v Version, its, others map[*place]*place) *place {
	if len(o.spots[v]) > 0 {
		return o
	}
	if other := others[o]; other != nil && len(other.spots[v]) > 0 {
		return other
	}
	return its[o]
}

// of maps the elements of origin that left a side to the elements that came to it:
// the only one that is alike, in its name if the elements are ports, or in all but
// the key. It may be like the other side's version of the element.
func (m moves) of(v, other Version, texts ...func(spot) string) map[*place]*place {
	found, taken := map[*place]*place{}, map[*place]bool{}
	for _, text := range texts {
		for _, from := range []Version{other, Origin} {
			for _, o := range m.elements {
				if found[o] != nil || len(o.spots[Origin]) != 1 || len(o.spots[from]) != 1 || len(o.spots[v]) > 0 || m.only(Origin, text, text(o.spots[Origin][0])) == nil {
					continue
				}
				want := text(o.spots[from][0])
				to := m.only(v, text, want)
				if to != nil && to.keys != nil && o.keys != nil && !taken[to] && len(to.spots[Origin]) == 0 && m.only(from, text, want) == o {
					found[o], taken[to] = to, true
				}
			}
		}
	}
	return found
}

// only is the one element of a version that has a text, nil if it has several.
func (m moves) only(v Version, text func(spot) string, want string) *place {
	var found *place
	for _, p := range m.elements {
		for _, s := range p.spots[v] {
			if text(s) != want {
				continue
			}
			if found != nil || want == "" {
				return nil
			}
			found = p
		}
	}
	return found
}

// lay lays upstream's u and local's l, with the result's versions of them, at o,
// unless one belongs to another element as well.
func (m moves) lay(o, u, l *place) {
	if u != l && (u != nil && u != o && len(u.spots[Local]) > 0 || l != nil && l != o && len(l.spots[Upstream]) > 0) || m.gone[u] || m.gone[l] {
		return
	}
	for _, p := range []*place{u, l} {
		if p == nil || p == o || m.gone[p] || len(p.spots[Upstream])+len(p.spots[Local]) == 0 {
			continue
		}
		for v, spots := range p.spots {
			o.spots[v] = append(o.spots[v], spots...)
			p.spots[v] = nil
		}
		m.gone[p] = true
	}
}

// added lays ports that both sides added under one name at the place of local's.
func (m moves) added() {
	for _, l := range m.elements {
		if len(l.spots[Local]) != 1 || len(l.spots[Origin])+len(l.spots[Upstream]) > 0 {
			continue
		}
		name := m.portName(l.spots[Local][0])
		u := m.only(Upstream, m.portName, name)
		if u != nil && len(u.spots[Origin])+len(u.spots[Local]) == 0 && m.only(Local, m.portName, name) == l && m.only(Origin, m.portName, name) == nil {
			m.lay(l, u, l)
		}
	}
}

// replaced lays the sides' replacements of an element of origin at its place, where a conflict is
// reported there and the element left a side: one element that a side added and the result lacks,
// and the first one that the other side added and the result has. If one side gave the element
// another key, and the result has it there, the other side's replacement is lost
// (rules/lists: replaced elements).
func (c *checker) replaced(elements []*place) []*place {
	gone := map[*place]bool{}
	next := func(v, other Version, inResult bool) *place {
		for _, p := range elements {
			if !gone[p] && len(p.spots[Origin])+len(p.spots[other]) == 0 && len(p.spots[v]) == 1 && len(p.spots[Result]) > 0 == inResult {
				return p
			}
		}
		return nil
	}
	for _, o := range elements {
		if !c.reported[o.path] || len(o.spots[Origin]) == 0 || o.keepsKey() {
			continue
		}
		isThere := len(o.spots[Result]) > 0
		u, l := next(Upstream, Local, false), next(Local, Upstream, !isThere)
		if u == nil && !isThere {
			u, l = next(Upstream, Local, true), next(Local, Upstream, false)
		}
		if len(o.spots[Upstream]) > 0 {
			u = nil
		}
		if len(o.spots[Local]) > 0 {
			l = nil
		}
		moves{gone: gone}.lay(o, u, l)
	}
	return slices.DeleteFunc(elements, func(p *place) bool { return gone[p] })
}

// keepsKey reports whether the result has an element at a place under the key that names the place.
func (p *place) keepsKey() bool {
	return slices.ContainsFunc(p.spots[Result], func(s spot) bool { return strings.HasSuffix(p.path, label(s.value, p.keys)) })
}

// portName is the name of a port, "" of anything else.
func (m moves) portName(s spot) string {
	if n := field(s.value, "name"); n != nil && (m.keys[0].Name == "port" || m.keys[0].Name == "containerPort") {
		return n.Value
	}
	return ""
}

// rest is an element without its key, "" where that is nothing but a value.
func (m moves) rest(s spot) string {
	n := s.value
	for _, k := range m.keys {
		n = cut(n, strings.Split(k.Name, "."))
	}
	for _, b := range below(n) {
		if b.key != nil && !slices.Contains([]string{"value", "valueFrom", "newName", "newTag", "digest", "count"}, b.key.Value) {
			return whole(n, scalar)
		}
	}
	return ""
}

// cut is a map without the field at a path.
func cut(n *yaml.Node, names []string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	for _, b := range below(n) {
		switch {
		case b.key == nil || b.key.Value != names[0]:
			out.Content = append(out.Content, b.key, b.value)
		case len(names) > 1:
			out.Content = append(out.Content, b.key, cut(b.value, names[1:]))
		}
	}
	return out
}
