package marker

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// collisions are the places of a resource where the merge found that the sides
// collide: a tree of paths. nil is a place with none at it or below.
type collisions struct {
	here     bool
	fields   map[string]*collisions
	elements []element
}

// element is a step to an element of a list.
type element struct {
	keys  []merge.KeyValue
	below *collisions
}

// newCollisions is the tree of some paths.
func newCollisions(paths []*merge.Path) *collisions {
	top := &collisions{}
	for _, path := range paths {
		at := top
		for _, step := range path.Steps() {
			at = at.step(step)
		}
		at.here = true
	}
	return top
}

// step is the tree at a step, which is made if it is not there.
func (c *collisions) step(s merge.Step) *collisions {
	if s.Keys != nil {
		below := &collisions{}
		c.elements = append(c.elements, element{s.Keys, below})
		return below
	}
	if c.fields == nil {
		c.fields = map[string]*collisions{}
	}
	if c.fields[s.Field] == nil {
		c.fields[s.Field] = &collisions{}
	}
	return c.fields[s.Field]
}

// collides reports whether the value itself collides.
func (c *collisions) collides() bool { return c != nil && c.here }

// field is the tree below a field.
func (c *collisions) field(name string) *collisions {
	if c == nil {
		return nil
	}
	return c.fields[name]
}

// element is the tree below an element, given on either side.
func (c *collisions) element(nodes ...*yaml.Node) *collisions {
	if c == nil {
		return nil
	}
	var all collisions
	for _, e := range c.elements {
		for _, n := range nodes {
			if n != nil && isOf(e.keys, n) {
				all.add(e.below)
				break
			}
		}
	}
	return &all
}

// add adds the places of another tree.
func (c *collisions) add(other *collisions) {
	c.here = c.here || other.here
	c.elements = append(c.elements, other.elements...)
	for name, below := range other.fields {
		if c.fields == nil {
			c.fields = map[string]*collisions{}
		}
		if was := c.fields[name]; was == nil {
			c.fields[name] = below
		} else {
			joint := &collisions{}
			joint.add(was)
			joint.add(below)
			c.fields[name] = joint
		}
	}
}

// keys are the names of the fields that tell elements apart, nil if the merge did
// not say.
func (c *collisions) keys() []string {
	if c == nil || len(c.elements) == 0 {
		return nil
	}
	var names []string
	for _, k := range c.elements[0].keys {
		names = append(names, k.Name)
	}
	return names
}

// isOf reports whether an element has the key.
func isOf(keys []merge.KeyValue, n *yaml.Node) bool {
	for _, k := range keys {
		want := ""
		if k.Value != nil {
			want = k.Value.Value
		}
		if got, found := keyText(n, k.Name); found && got != want || !found && want != "" && k.Name == "" {
			return false
		}
	}
	return len(keys) > 0
}

// keyText is a part of an element's key; the name of an element that is its own
// key is "".
func keyText(n *yaml.Node, name string) (string, bool) {
	if n = yamlnode.Resolve(n); name != "" {
		n = yamlnode.Resolve(yamlnode.Lookup(n, strings.Split(name, ".")...))
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return "", false
	}
	return n.Value, true
}
