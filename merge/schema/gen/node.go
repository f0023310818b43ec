package main

import "slices"

// node is a type of the graph. Nodes stand for each other by name; no name
// stands for a value about which there is nothing to say.
type node struct {
	relation   string // of package schema, as the API server has it
	byKey      bool   // decided whole by the API server, and not by design 4
	strategic  string // relation of strategic merge; "" as Granular
	mergeKey   string // of strategic merge
	retainKeys bool   // of strategic merge: a struct that has config's fields only
	scalar     string // of package schema; "" if it is any other
	strings    bool   // a map of strings
	embedded   bool   // a resource of a kind of its own
	isList     bool
	keys       []key
	fields     []edge
	elem       string
	unions     []union
	names      []string // of all fields, where another version of the kind has others
}

type key struct {
	name         string
	defaultValue any
}

type edge struct{ field, to string }

// isAtomicList reports whether the node is a list that all decide whole, as any
// is of which nothing is known.
func (n *node) isAtomicList() bool { return n.isList && n.isWhole() }

// isWhole reports whether all decide the value whole.
func (n *node) isWhole() bool { return n.relation == "Atomic" && n.strategic == "Atomic" && !n.byKey }

// matters reports whether merging asks for this type whatever it leads to.
func (n *node) matters() bool {
	return (n.relation != "Granular" || n.strategic != "" && n.strategic != "Granular") && !n.isAtomicList() ||
		len(n.unions) > 0 || len(n.names) > 0 || n.scalar != "" || n.strings || n.embedded || n.retainKeys
}

// leads returns the names of the nodes below this one.
func (n *node) leads() []string {
	names := []string{n.elem}
	for _, e := range n.fields {
		names = append(names, e.to)
	}
	return names
}

// fieldNames returns the names of the fields, sorted.
func (n *node) fieldNames() []string {
	var names []string
	for _, e := range n.fields {
		names = append(names, e.field)
	}
	slices.Sort(names)
	return names
}

// newKey returns a key with the default its field has in the schema.
func newKey(name string, elem *mapping) key {
	k := key{name: name}
	if f := elem.field(name); f != nil {
		k.defaultValue = f.Default
	}
	return k
}
