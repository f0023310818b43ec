package main

import (
	"fmt"
	"strings"
)

// graph is the schema as nodes by name.
type graph struct {
	doc   *document
	nodes map[string]*node
}

// newGraph returns the graph of all types of the document.
func newGraph(doc *document) (*graph, error) {
	g := &graph{doc: doc, nodes: map[string]*node{}}
	for _, def := range doc.Types {
		if def.Name == quantity {
			g.nodes[quantity] = &node{relation: "Granular", scalar: "Quantity"}
		}
		if def.Map == nil || def.Scalar != "" && def.Map.Relationship != "atomic" {
			continue
		}
		atomic := def.Map.Relationship == "atomic" && def.Name != labelSelector
		if err := g.addStruct(def.Name, def.Map, atomic); err != nil {
			return nil, fmt.Errorf("type %s: %w", def.Name, err)
		}
	}
	return g, nil
}

// labelSelector is atomic for the API server, but merges by key (design 4, step 4).
const labelSelector = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"

// quantity is compared by its amount (design 3).
const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"

// addStruct adds the node of a struct. An atomic one is decided whole; what is in
// it matters where that is compared in a way of its own.
func (g *graph) addStruct(name string, m *mapping, atomic bool) error {
	n := &node{relation: "Granular"}
	g.nodes[name] = n
	if atomic {
		n.relation = "Atomic"
	}
	for _, f := range m.Fields {
		to, err := g.add(f.Type, f.Name)
		if err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		n.fields = append(n.fields, edge{field: f.Name, to: to})
	}
	if !atomic {
		n.unions = m.Unions
	}
	return nil
}

// add returns the name of a field's type, and adds its node if it is not a
// named type.
func (g *graph) add(r reference, field string) (string, error) {
	switch {
	case r.Scalar != "":
		return "", nil
	case r.NamedType != "" && r.Relationship != "":
		return g.addOverride(r)
	case r.NamedType != "":
		return r.NamedType, nil
	case r.Map != nil:
		return g.addMap(r.Map, field)
	case r.List != nil && r.List.Relationship == "associative":
		return g.addList(r.List)
	case r.List != nil:
		return g.addAtomicList(r.List)
	}
	return "", nil
}

// addAtomicList adds a list that is decided whole, for what its elements hold.
func (g *graph) addAtomicList(l *list) (string, error) {
	elem, err := g.add(l.ElementType, "")
	if err != nil || elem == "" {
		return "", err
	}
	name := "atomic list of " + elem
	g.nodes[name] = &node{relation: "Atomic", elem: elem}
	return name, nil
}

// addOverride adds a named type whose relationship the field replaces.
func (g *graph) addOverride(r reference) (string, error) {
	m, err := g.doc.structure(r.NamedType)
	if err != nil {
		return "", err
	}
	name := r.NamedType + ", " + r.Relationship
	return name, g.addStruct(name, m, r.Relationship == "atomic")
}

// addMap adds a map. Those in fields named selector and nodeSelector are
// atomic for the API server, but merge by key (design 4, step 4).
func (g *graph) addMap(m *mapping, field string) (string, error) {
	if m.Relationship == "atomic" && field != "selector" && field != "nodeSelector" {
		g.nodes["atomic map"] = &node{relation: "Atomic"}
		return "atomic map", nil
	}
	elem, err := g.add(*m.ElementType, "")
	if err != nil || elem == "" {
		return "", err
	}
	name := "map of " + elem
	g.nodes[name] = &node{relation: "Granular", elem: elem}
	return name, nil
}

// addList adds a list with keys or, if it has none, a set of scalars.
func (g *graph) addList(l *list) (string, error) {
	if len(l.Keys) == 0 {
		g.nodes["set"] = &node{relation: "Set"}
		return "set", nil
	}
	m, err := g.doc.structure(l.ElementType.NamedType)
	if err != nil {
		return "", err
	}
	n := &node{relation: "ListMap", elem: l.ElementType.NamedType}
	for _, k := range l.Keys {
		n.keys = append(n.keys, newKey(k, m))
	}
	name := fmt.Sprintf("list of %s by %s", n.elem, strings.Join(l.Keys, ", "))
	g.nodes[name] = n
	return name, nil
}
