package conserve

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// place is a field or an element, with what each version has there: more than
// one value where a list has a key more than once.
type place struct {
	path    string   // as results write it
	steps   []string // field names, and * for an element
	element bool
	scalar  schema.Scalar // what a scalar there stands for
	lines   bool          // strings there were merged line by line
	spots   [versions][]spot
}

// spot is what one version has at a place: a value, and in a map its key.
type spot struct {
	key, value *yaml.Node
	last       bool // in its map or list
}

func (p *place) add(v Version, s spot) { p.spots[v] = append(p.spots[v], s) }

// anywhere is something at a place, regardless of the positions in lists.
func (p *place) anywhere(what string) string {
	return strings.Join(p.steps, "\x00") + "\x00\x00" + what
}

// name is the name of an element, "" if it has none.
func (p *place) name() string {
	for _, spots := range p.spots {
		for _, s := range spots {
			if n := field(s.value, "name"); p.element && n != nil {
				return n.Value
			}
		}
	}
	return ""
}

// children are the places right below a place, in the order in which the
// versions bring them up.
func (c *checker) children(p *place) []*place {
	var out []*place
	index := map[string]*place{}
	keys := c.keysOf(p)
	for v, spots := range p.spots {
		for _, s := range spots {
			for _, b := range below(s.value) {
				child := &place{path: p.path, steps: append(slices.Clip(p.steps), "*"), element: b.key == nil}
				if b.key == nil {
					child.path += label(b.value, keys)
				} else {
					child.path += step(p.path, b.key)
					child.steps[len(p.steps)] = b.key.Value
				}
				if index[child.path] == nil {
					c.describe(child)
					index[child.path] = child
					out = append(out, child)
				}
				index[child.path].add(Version(v), b)
			}
		}
	}
	return rekeyed(out)
}

// describe says what is known about a place.
func (c *checker) describe(p *place) {
	p.lines = c.lines[p.path]
	if c.Scalars != nil {
		p.scalar = c.Scalars(p.steps)
	}
}

// rekeyed gives an element that upstream and local both have, and origin has
// under another key but with the same name, origin's version: both changed the
// key alike (DESIGN 3.3).
func rekeyed(elements []*place) []*place {
	old := map[string]*place{}
	for _, e := range elements {
		if e.name() != "" && len(e.spots[Upstream])+len(e.spots[Local])+len(e.spots[Result]) == 0 {
			old[e.name()] = e
		}
	}
	for _, e := range elements {
		o := old[e.name()]
		if o != nil && len(e.spots[Origin]) == 0 && len(e.spots[Upstream]) > 0 && len(e.spots[Local]) > 0 {
			e.spots[Origin], o.spots[Origin] = o.spots[Origin], nil
		}
	}
	return elements
}

// below are the entries of a map or the elements of a list.
func below(n *yaml.Node) []spot {
	var out []spot
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, spot{key: n.Content[i], value: n.Content[i+1]})
		}
	case yaml.SequenceNode:
		for _, e := range n.Content {
			out = append(out, spot{value: e})
		}
	}
	if len(out) > 0 {
		out[len(out)-1].last = true
	}
	return out
}

// keysOf asks for the keys of the lists at a place.
func (c *checker) keysOf(p *place) []Key {
	var lists [3][]*yaml.Node
	found := false
	for v := range lists {
		for _, s := range p.spots[v] {
			if s.value.Kind == yaml.SequenceNode {
				found = true
				lists[v] = append(lists[v], s.value.Content...)
			}
		}
	}
	if !found || c.Keys == nil {
		return nil
	}
	return c.Keys(p.steps, lists)
}
