package main

import (
	"fmt"
	"slices"
	"strings"
)

// graph is the schema as nodes by name.
type graph struct {
	doc   *document
	tags  structTags
	nodes map[string]*node
}

// newGraph returns the graph of all types of the document, with the tags of strategic merge.
func newGraph(doc *document, tags structTags) (*graph, error) {
	g := &graph{doc: doc, tags: tags, nodes: map[string]*node{}}
	for _, def := range doc.Types {
		if def.Name == quantity {
			g.nodes[quantity] = &node{relation: "Granular", scalar: "Quantity"}
		}
		if def.Map == nil || def.Scalar != "" && def.Map.Relationship != "atomic" {
			continue
		}
		if err := g.addStruct(def.Name, def.Name, def.Map, def.Map.Relationship); err != nil {
			return nil, fmt.Errorf("type %s: %w", def.Name, err)
		}
	}
	return g, g.retainKeys()
}

// labelSelector is atomic for the API server, but merges by key (rules/schemas: built-in kinds).
const labelSelector = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"

// quantity is compared by its amount (rules/fields: equality).
const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"

// addStruct adds the node of a struct of a named type. The fields of an atomic struct stay, as they may have their own
// comparison.
func (g *graph) addStruct(name, typeName string, m *mapping, relationship string) error {
	n := &node{relation: "Granular"}
	g.nodes[name] = n
	if relationship == "atomic" {
		n.relation, n.byKey = "Atomic", typeName == labelSelector
	}
	for _, f := range m.Fields {
		to, err := g.add(f.Type, f.Name, g.tags[typeName][f.Name])
		if err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		n.fields = append(n.fields, edge{field: f.Name, to: to})
	}
	if relationship != "atomic" {
		n.unions = m.Unions
	}
	return nil
}

// retainKeys marks the structs that keep only config's fields in strategic merge. The tag is on the fields with such
// structs: all fields with one struct must have it, or the struct would differ between fields.
func (g *graph) retainKeys() error {
	for _, def := range g.doc.Types {
		for _, f := range def.fields() {
			name := f.Type.structName()
			if tag := g.tags[def.Name][f.Name]; tag.has("retainKeys") {
				if g.nodes[name] == nil {
					return fmt.Errorf("type %s: field %s retains keys and has no struct", def.Name, f.Name)
				}
				g.nodes[name].retainKeys = true
			}
		}
	}
	return nil
}

// addNames sets the names of all fields of the structs with other fields in another version of their kind, also in its
// former group (rules/resources: a new apiVersion).
func (g *graph) addNames(kinds []kind) {
	compared := map[[2]string]bool{}
	for i, a := range kinds {
		for _, b := range kinds[i+1:] {
			if a.kind == b.kind {
				g.compare(a.name, b.name, compared)
			}
		}
	}
}

// compare sets the names of two structs, and of the structs below them, if they have different fields.
func (g *graph) compare(a, b string, compared map[[2]string]bool) {
	x, y := g.nodes[a], g.nodes[b]
	if a == b || x == nil || y == nil || compared[[2]string{a, b}] {
		return
	}
	compared[[2]string{a, b}] = true
	g.compare(x.elem, y.elem, compared)
	if namesX, namesY := x.fieldNames(), y.fieldNames(); !slices.Equal(namesX, namesY) {
		x.names, y.names = namesX, namesY
	}
	for _, f := range x.fields {
		if at := slices.IndexFunc(y.fields, func(e edge) bool { return e.field == f.field }); at >= 0 {
			g.compare(f.to, y.fields[at].to, compared)
		}
	}
}

// add returns the name of a field's type, and adds the node of an inline type.
func (g *graph) add(r reference, field string, tag patchTag) (string, error) {
	switch {
	case r.Scalar != "":
		return "", nil
	case r.NamedType != "" && (r.Relationship != "" || tag.has("replace")):
		return g.addVariant(r, tag)
	case r.NamedType != "":
		return r.NamedType, nil
	case r.Map != nil:
		return g.addMap(r.Map, field)
	case r.List != nil && r.List.Relationship == "associative":
		return g.addList(r.List, tag)
	case r.List != nil:
		return g.addAtomicList(r.List, tag)
	}
	return "", nil
}

// addAtomicList adds a list that is atomic in structured merge, for its elements and for strategic merge.
func (g *graph) addAtomicList(l *list, tag patchTag) (string, error) {
	elem, err := g.add(l.ElementType, "", patchTag{})
	if err != nil || elem == "" && !tag.has("merge") {
		return "", err
	}
	name := "atomic list of " + elem + tag.String()
	g.nodes[name] = &node{relation: "Atomic", elem: elem, strategic: tag.relation(true), mergeKey: tag.key, isList: true}
	return name, nil
}

// addVariant adds a named type whose field replaces the relationship.
func (g *graph) addVariant(r reference, tag patchTag) (string, error) {
	m, err := g.doc.structure(r.NamedType)
	if err != nil {
		return "", err
	}
	relationship := r.Relationship
	name := r.NamedType + ", " + relationship + tag.String()
	if relationship == "" {
		relationship = m.Relationship
		name = r.NamedType + tag.String()
	}
	if err := g.addStruct(name, r.NamedType, m, relationship); err != nil {
		return "", err
	}
	g.nodes[name].strategic = tag.relation(false)
	return name, nil
}

// addMap adds a map. Those in fields named selector and nodeSelector are atomic for the API server, but merge by key
// (rules/schemas: built-in kinds).
func (g *graph) addMap(m *mapping, field string) (string, error) {
	elem, err := g.add(*m.ElementType, "", patchTag{})
	if err != nil {
		return "", err
	}
	n := &node{relation: "Granular", elem: elem, strings: m.ElementType.Scalar == "string"}
	name := "map of " + elem
	if n.strings {
		name += "strings"
	}
	if m.Relationship == "atomic" {
		n.relation, n.byKey = "Atomic", field == "selector" || field == "nodeSelector"
		name = "atomic " + name
	}
	if n.byKey {
		name += " by key"
	}
	if n.matters() || elem != "" {
		g.nodes[name] = n
		return name, nil
	}
	return "", nil
}

// addList adds a list with keys or, if it has none, a set of scalars.
func (g *graph) addList(l *list, tag patchTag) (string, error) {
	n := &node{strategic: tag.relation(true), mergeKey: tag.key, isList: true}
	if len(l.Keys) == 0 {
		n.relation = "Set"
		g.nodes["set"+tag.String()] = n
		return "set" + tag.String(), nil
	}
	m, err := g.doc.structure(l.ElementType.NamedType)
	if err != nil {
		return "", err
	}
	n.relation, n.elem = "ListMap", l.ElementType.NamedType
	for _, k := range l.Keys {
		n.keys = append(n.keys, newKey(k, m))
	}
	name := fmt.Sprintf("list of %s by %s%s", n.elem, strings.Join(l.Keys, ", "), tag)
	g.nodes[name] = n
	return name, nil
}

// node is a type of the graph. Nodes refer to each other by name; the empty name is an unknown type.
type node struct {
	relation   string // of package schema, as the API server has it
	byKey      bool   // atomic for the API server, and merged by key in Merging
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

// isWhole reports whether the value is atomic in all columns.
func (n *node) isWhole() bool { return n.relation == "Atomic" && n.strategic == "Atomic" && !n.byKey }

// matters reports whether the node matters to merging by itself. An atomic list does not: any unknown list is atomic.
func (n *node) matters() bool {
	return (n.relation != "Granular" || n.strategic != "" && n.strategic != "Granular") && !(n.isList && n.isWhole()) ||
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

// newKey returns a key with its field's default.
func newKey(name string, elem *mapping) key {
	k := key{name: name}
	if f := elem.field(name); f != nil {
		k.defaultValue = f.Default
	}
	return k
}

// imageField is a field with a container image, which merges in two parts (rules/fields: images).
type imageField struct{ structure, field string }

// imageFields is the table of images by hand: the schema has them as strings.
func imageFields() []imageField {
	return []imageField{
		{"core.v1.Container", "image"},
		{"core.v1.EphemeralContainer", "image"},
		{"core.v1.ImageVolumeSource", "reference"},
	}
}

// addImages makes fields of the schema images.
func (g *graph) addImages(fields []imageField) error {
	const image = "image"
	g.nodes[image] = &node{relation: "Granular", scalar: "Image"}
	for _, f := range fields {
		n, at := g.nodes[apiPrefix+f.structure], -1
		if n != nil {
			at = slices.IndexFunc(n.fields, func(e edge) bool { return e.field == f.field })
		}
		if at < 0 {
			return fmt.Errorf("image: the schema has no field %s of %s", f.field, f.structure)
		}
		n.fields[at].to = image
	}
	return nil
}
