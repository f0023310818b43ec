package mergecheck

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// place is a field or an element, with each version's values there: more than
// one where a list has a key more than once.
type place struct {
	path     string        // as results write it
	before   string        // the path of the place before it, in its map or list
	steps    []string      // field names, and for an element * with its apiVersion and kind
	keys     []Key         // of an element that has a key: the keys of its list
	fallback string        // of a field of a key: its default
	alone    bool          // of a field: the result has nothing around it
	scalar   schema.Scalar // the meaning of a scalar there
	lines    bool          // strings there were merged line by line
	byValue  bool          // an element without a key, or in one
	agreed   bool          // upstream and local have equal values around it
	whole    bool          // the value of the result is the longer one of two additions, and contains the other one
	replaces *place        // of an element without a key: the one of origin in whose place it came
	spots    [versions][]spot
}

// spot is one version's value at a place, and in a map its key.
type spot struct {
	key, value *yaml.Node
	last       bool // in its map or list
}

func (p *place) add(v Version, s spot) { p.spots[v] = append(p.spots[v], s) }

// anywhere is something at a place, regardless of the positions in lists.
func (p *place) anywhere(what string) string {
	return strings.Join(p.steps, "\x00") + "\x00\x00" + what
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
				child := p.child(b, keys)
				if index[child.path] == nil {
					c.describe(child)
					index[child.path] = child
					out = append(out, child)
				}
				index[child.path].add(Version(v), b)
			}
		}
	}
	byElement := slices.ContainsFunc(c.Elements, func(path string) bool { return strings.HasPrefix(p.path, path) })
	if c.Marks || byElement {
		out = combined(out)
	}
	if c.Silent {
		out = renamed(out)
	}
	agreed := p.agreed || p.agrees()
	for i, child := range out {
		if i > 0 {
			child.before = out[i-1].path
		}
		child.lines = child.lines || (c.Silent || byElement && child.differs()) && child.severalLines()
		child.agreed = agreed
	}
	pairByComment(out)
	return c.replaced(rekeyed(out, keys))
}

// agrees reports whether upstream and local have the same value at a place, and no version has several.
func (p *place) agrees() bool {
	u, l := p.spots[Upstream], p.spots[Local]
	return len(p.spots[Origin]) <= 1 && len(u) == 1 && len(l) == 1 && whole(u[0].value, scalar) == whole(l[0].value, scalar)
}

// differs reports whether both sides changed the value that origin has at a place.
func (p *place) differs() bool {
	o, u, l := p.spots[Origin], p.spots[Upstream], p.spots[Local]
	return len(o) == 1 && len(u) == 1 && len(l) == 1 && whole(o[0].value, scalar) != whole(u[0].value, scalar) && whole(o[0].value, scalar) != whole(l[0].value, scalar)
}

// severalLines reports whether all versions that have something at a place have strings
// there, and one of them several lines.
func (p *place) severalLines() bool {
	found := false
	for _, spots := range p.spots {
		for _, s := range spots {
			if s.value.Kind != yaml.ScalarNode || s.value.ShortTag() != "!!str" {
				return false
			}
			found = found || strings.Contains(strings.TrimSuffix(s.value.Value, "\n"), "\n")
		}
	}
	return found
}

// describe sets the schema's facts about a place.
func (c *checker) describe(p *place) {
	p.lines = c.lines[p.path]
	if c.Scalars != nil {
		p.scalar = c.Scalars(p.steps)
	}
}

// child is the place of a field, or of an element with these keys.
func (p *place) child(b spot, keys []Key) *place {
	if b.key != nil {
		out := &place{path: p.path + step(p.path, b.key), steps: append(slices.Clip(p.steps), b.key.Value)}
		out.alone, out.byValue = len(p.spots[Result]) == 0, p.byValue
		for _, k := range p.keys {
			if k.Name == b.key.Value && k.Default != "" {
				out.fallback = strconv.Quote(k.Default)
			}
		}
		return out
	}
	text := label(b.value, keys)
	out := &place{path: p.path + text, steps: append(slices.Clip(p.steps), kindStep(b.value))}
	if !strings.HasPrefix(text, "[=") {
		out.keys = keys
	}
	out.byValue = p.byValue || out.keys == nil
	return out
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
