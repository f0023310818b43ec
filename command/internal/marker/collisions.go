package marker

import (
	"slices"
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
	// steps are the trees below the elements, by the text of their keys.
	steps map[string]*collisions
	// index finds elements by a part of their key; it is made when an element is looked for.
	index *elementIndex
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
		key := ""
		for _, k := range s.Keys {
			if k.Value != nil {
				key += k.Name + "\x00" + k.Value.Value + "\x00"
			}
		}
		if c.steps[key] == nil {
			if c.steps == nil {
				c.steps = map[string]*collisions{}
			}
			c.steps[key] = &collisions{}
			c.elements = append(c.elements, element{s.Keys, c.steps[key]})
		}
		return c.steps[key]
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
	if c.index == nil {
		c.index = newElementIndex(c.elements)
	}
	var found []int
	for _, n := range nodes {
		if n == nil {
			continue
		}
		for _, i := range c.index.candidates(n) {
			if isOf(c.elements[i].keys, n) {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	var all collisions
	for _, i := range slices.Compact(found) {
		all.add(c.elements[i].below)
	}
	return &all
}

// elementIndex finds the elements that a node may be, in the order of the elements, by the
// first part of a key that the node has: a node may lack a part that has a default.
type elementIndex struct {
	// names are those of the parts of all keys.
	names []string
	// by are the elements by a part's name and text, without those whose keys lack the part.
	by      map[[2]string][]int
	without map[string][]int
	all     []int
}

func newElementIndex(elements []element) *elementIndex {
	x := &elementIndex{by: map[[2]string][]int{}, without: map[string][]int{}}
	for i, e := range elements {
		x.all = append(x.all, i)
		for _, k := range e.keys {
			if !slices.Contains(x.names, k.Name) {
				x.names = append(x.names, k.Name)
			}
			text := ""
			if k.Value != nil {
				text = k.Value.Value
			}
			x.by[[2]string{k.Name, text}] = append(x.by[[2]string{k.Name, text}], i)
		}
	}
	for _, name := range x.names {
		for i, e := range elements {
			if !slices.ContainsFunc(e.keys, func(k merge.KeyValue) bool { return k.Name == name }) {
				x.without[name] = append(x.without[name], i)
			}
		}
	}
	return x
}

// candidates are the elements that a node may be.
func (x *elementIndex) candidates(n *yaml.Node) []int {
	for _, name := range x.names {
		if text, found := keyText(n, name); found {
			return slices.Concat(x.by[[2]string{name, text}], x.without[name])
		}
	}
	return x.all
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
