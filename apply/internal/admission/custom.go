package admission

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// object visits the fields of an object by the schema of a CRD.
func (d *decoder) object(s *yaml.Node, known *schema.Type, at *merge.Path, n *yaml.Node) {
	properties, values := yamlnode.Field(s, "properties"), yamlnode.Field(s, "additionalProperties")
	own := []string{"apiVersion", "kind", "metadata"} // of every resource
	isResource := at == nil || isSet(s, "x-kubernetes-embedded-resource")
	isOpen := isSet(s, "x-kubernetes-preserve-unknown-fields") || values != nil
	for key, v := range yamlnode.Pairs(n) {
		name := key.Value
		property := yamlnode.Field(properties, name)
		switch {
		case isResource && slices.Contains(own, name), at == nil && name == "status" && property != nil:
		case property != nil:
			d.custom(property, known.Part(name), at.Field(name), v)
		case values != nil && values.Kind == yaml.MappingNode:
			d.custom(values, known.Part(name), at.Field(name), v)
		case !isOpen:
			d.unknown(at.Field(name), v, name, yamlnode.Names(properties))
		}
	}
}

// custom visits a value by the schema of a CRD.
func (d *decoder) custom(s *yaml.Node, known *schema.Type, at *merge.Path, n *yaml.Node) {
	typ := yamlnode.Text(yamlnode.Field(s, "type"))
	switch {
	case n.ShortTag() == "!!null":
		d.customNull(s, known, at, n)
	case isSet(s, "x-kubernetes-int-or-string"):
		d.scalar('i', at, n)
	case typ == "string":
		d.scalar('s', at, n)
	case typ == "integer":
		d.scalar('n', at, n)
	case typ == "boolean":
		d.scalar('b', at, n)
	case typ == "number" && describe(n) != "a number":
		d.refuse(at, n, describe(n)+", where the server takes a number only")
	case typ == "array":
		if items := yamlnode.Field(s, "items"); d.isKind(at, n, yaml.SequenceNode) && items != nil {
			for i, c := range n.Content {
				d.custom(items, known.Element(), at.Element(keysAt(known, c, i)), c)
			}
		}
	case typ == "object":
		if d.isKind(at, n, yaml.MappingNode) {
			d.object(s, known, at, n)
		}
	}
}

// customNull refuses a null that the schema of a CRD does not allow.
func (d *decoder) customNull(s *yaml.Node, known *schema.Type, at *merge.Path, n *yaml.Node) {
	isElement := at.Steps()[len(at.Steps())-1].Keys != nil
	isKnown := known != nil && known.NoNull // the merge refuses it
	if yamlnode.Text(yamlnode.Field(s, "type")) != "" && !allowsNull(s) && !isKnown && (d.serverSide || isElement) {
		d.refuse(at, n, "a null, and the CRD allows none there")
	}
}

// allowsNull reports whether a null is allowed, or replaced by a default.
func allowsNull(s *yaml.Node) bool {
	return isSet(s, "nullable") || yamlnode.Field(s, "default") != nil
}

func isSet(s *yaml.Node, name string) bool { return yamlnode.Text(yamlnode.Field(s, name)) == "true" }

// Emptied returns a conflict for each container of a custom resource that loses its last entry in a server-side apply, and
// that the server keeps: it makes a null of it, which a CRD has to allow (rules/server-side-apply: refused configs). It keeps
// a map that config has empty, and a list in which another manager owns a field of a removed element. drifts are the
// conflicts of the apply.
func Emptied(kind schema.Resource, config, live, result *yaml.Node, drifts []merge.Conflict) []merge.Conflict {
	root, exact := kind.OpenAPI()
	if !exact || live == nil {
		return nil
	}
	e := emptied{live: merge.NewFinder(live), result: merge.NewFinder(result)}
	e.visit(root, kind.Type, nil, config)
	for _, c := range drifts {
		if c.Kind == merge.Drift && c.Chosen == identity.Upstream {
			e.list(root, c.Path)
		}
	}
	return e.found
}

type emptied struct {
	live, result *merge.Finder
	found        []merge.Conflict
}

func (e *emptied) visit(s *yaml.Node, known *schema.Type, at *merge.Path, n *yaml.Node) {
	if known != nil && known.Relation == schema.Atomic || n == nil {
		return
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		for i, c := range n.Content {
			e.visit(yamlnode.Field(s, "items"), known.Element(), at.Element(keysAt(known, c, i)), c)
		}
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		e.emptyMap(s, at, n)
	case n.Kind == yaml.MappingNode:
		for key, v := range yamlnode.Pairs(n) {
			if p := property(s, key.Value); p != nil {
				e.visit(p, known.Part(key.Value), at.Field(key.Value), v)
			}
		}
	}
}

// emptyMap refuses an empty map that has entries in the live object, unless the schema allows a null.
func (e *emptied) emptyMap(s *yaml.Node, at *merge.Path, n *yaml.Node) {
	has := func(f *merge.Finder) bool { v := f.Value(at); return v != nil && len(v.Content) > 0 }
	if has(e.live) && !has(e.result) && !allowsNull(s) {
		c := refusal(at, n, "the server makes a null of a map that loses its last entry, and the CRD allows none; leave the map out")
		c.Values[identity.Local] = e.live.Value(at)
		e.found = append(e.found, c)
	}
}

// list finds the outermost list around a lost field of another manager that lost all elements and is in no lost element.
func (e *emptied) list(s *yaml.Node, lost *merge.Path) {
	var at *merge.Path
	steps := lost.Steps()
	for _, step := range steps[:max(0, len(steps)-1)] {
		if step.Keys == nil {
			at, s = at.Field(step.Field), property(s, step.Field)
			continue
		}
		if e.result.Value(at) == nil {
			isFound := slices.ContainsFunc(e.found, func(c merge.Conflict) bool { return c.Path.String() == at.String() })
			if s != nil && !allowsNull(s) && !isFound {
				c := refusal(at, nil, "the server makes a null of a list that loses its last element while another manager owns a field of it, and the CRD allows none; remove the list from the live object first")
				c.Values[identity.Local] = e.live.Value(at)
				e.found = append(e.found, c)
			}
			return
		}
		if at, s = at.Element(step.Keys), yamlnode.Field(s, "items"); e.result.Value(at) == nil {
			return // the element goes with all lists in it
		}
	}
}

// property returns the schema of a field of a CRD's struct or map, nil if it has none.
func property(s *yaml.Node, name string) *yaml.Node {
	if p := yamlnode.Field(yamlnode.Field(s, "properties"), name); p != nil {
		return p
	}
	return yamlnode.Field(s, "additionalProperties")
}
