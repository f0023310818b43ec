package marker

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// collisions is a tree of the paths at which the sides of a resource collide. A nil tree is empty.
type collisions struct {
	isCollision bool
	fields      map[string]*collisions
	elements    []keyedElement
	// byKey has the trees of the elements, by the text of their keys.
	byKey map[string]*collisions
	// index finds elements by a part of their key. It is built on the first lookup.
	index *elementIndex
}

// keyedElement is an element of a list with the collisions in it.
type keyedElement struct {
	keys []merge.KeyValue
	tree *collisions
}

// newCollisions builds the tree of paths.
func newCollisions(paths []*merge.Path) *collisions {
	top := &collisions{}
	for _, path := range paths {
		at := top
		for _, step := range path.Steps() {
			at = at.child(step)
		}
		at.isCollision = true
	}
	return top
}

// child returns the tree below a step, and adds it if it is missing.
func (c *collisions) child(s merge.Step) *collisions {
	if s.Keys != nil {
		return c.keyedChild(s)
	}
	if c.fields == nil {
		c.fields = map[string]*collisions{}
	}
	if c.fields[s.Field] == nil {
		c.fields[s.Field] = &collisions{}
	}
	return c.fields[s.Field]
}

// keyedChild returns the tree below an element of a list, and adds it if it is missing.
func (c *collisions) keyedChild(s merge.Step) *collisions {
	key := ""
	for _, k := range s.Keys {
		if k.Value != nil {
			key += k.Name + "\x00" + k.Value.Value + "\x00"
		}
	}
	if c.byKey[key] == nil {
		if c.byKey == nil {
			c.byKey = map[string]*collisions{}
		}
		c.byKey[key] = &collisions{}
		c.elements = append(c.elements, keyedElement{s.Keys, c.byKey[key]})
	}
	return c.byKey[key]
}

// collides reports whether the value itself collides.
func (c *collisions) collides() bool { return c != nil && c.isCollision }

// field returns the tree below a field.
func (c *collisions) field(name string) *collisions {
	if c == nil {
		return nil
	}
	return c.fields[name]
}

// element returns the tree below an element, given as its versions.
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
			if hasKey(c.elements[i].keys, n) {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	var all collisions
	for _, i := range slices.Compact(found) {
		all.add(c.elements[i].tree)
	}
	return &all
}

// elementIndex finds the elements that a node may be, in list order, by the first part of a key
// that the node has: a node may lack a part that has a default.
type elementIndex struct {
	// names are the names of the parts of all keys.
	names []string
	// byPart has the elements by name and text of a part; without has the elements whose keys lack a part.
	byPart  map[[2]string][]int
	without map[string][]int
	all     []int
}

func newElementIndex(elements []keyedElement) *elementIndex {
	x := &elementIndex{byPart: map[[2]string][]int{}, without: map[string][]int{}}
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
			x.byPart[[2]string{k.Name, text}] = append(x.byPart[[2]string{k.Name, text}], i)
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

// candidates returns the indices of the elements that a node may be.
func (x *elementIndex) candidates(n *yaml.Node) []int {
	for _, name := range x.names {
		if text, found := keyText(n, name); found {
			return slices.Concat(x.byPart[[2]string{name, text}], x.without[name])
		}
	}
	return x.all
}

// add adds the collisions of another tree.
func (c *collisions) add(other *collisions) {
	c.isCollision = c.isCollision || other.isCollision
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

// keys returns the names of the key fields of a list's elements, nil if they are unknown.
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

func hasKey(keys []merge.KeyValue, n *yaml.Node) bool {
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

// keyText returns the text of one part of an element's key. The part "" is the element itself.
func keyText(n *yaml.Node, name string) (string, bool) {
	if n = yamlnode.Resolve(n); name != "" {
		n = yamlnode.Resolve(yamlnode.Lookup(n, strings.Split(name, ".")...))
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return "", false
	}
	return n.Value, true
}
