package main

import "reflect"

// node is a type of the graph. Nodes stand for each other by name; no name
// stands for a value about which there is nothing to say.
type node struct {
	relation string // of package schema
	scalar   string // of package schema; "" if it is any other
	embedded bool   // a resource of a kind of its own
	keys     []key
	fields   []edge
	elem     string
	unions   []union
}

type key struct {
	name         string
	defaultValue any
}

type edge struct{ field, to string }

// isAtomicList reports whether the node is a list that is decided whole, as any
// is of which nothing is known.
func (n *node) isAtomicList() bool { return n.relation == "Atomic" && n.elem != "" }

// matters reports whether merging asks for this type whatever it leads to.
func (n *node) matters() bool {
	return n.relation != "Granular" && !n.isAtomicList() || len(n.unions) > 0 || n.scalar != "" || n.embedded
}

// leads returns the names of the nodes below this one.
func (n *node) leads() []string {
	names := []string{n.elem}
	for _, e := range n.fields {
		names = append(names, e.to)
	}
	return names
}

// newKey returns a key with the default its field has in the schema. The zero
// defaults, which every required field has, are none: an element without a
// name is an element without a key, not one named "" (design 4).
func newKey(name string, elem *mapping) key {
	k := key{name: name}
	if f := elem.field(name); f != nil && f.Default != nil && !reflect.ValueOf(f.Default).IsZero() {
		k.defaultValue = f.Default
	}
	return k
}
