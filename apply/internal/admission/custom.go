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
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i].Value, n.Content[i+1]
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
	if n.ShortTag() == "!!null" {
		isElement := at.Steps()[len(at.Steps())-1].Keys != nil
		isKnown := known != nil && known.NoNull // the merge refuses it
		if typ != "" && !allowsNull(s) && !isKnown && (d.serverSide || isElement) {
			d.refuse(at, n, "a null, and the CRD allows none there")
		}
		return
	}
	switch {
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
		if d.isKind(at, n, yaml.SequenceNode) {
			for i, c := range n.Content {
				if items := yamlnode.Field(s, "items"); items != nil {
					d.custom(items, known.Element(), at.Element(keysAt(known, c, i)), c)
				}
			}
		}
	case typ == "object":
		if d.isKind(at, n, yaml.MappingNode) {
			d.object(s, known, at, n)
		}
	}
}

// allowsNull reports whether a null is allowed, or replaced by a default.
func allowsNull(s *yaml.Node) bool {
	return isSet(s, "nullable") || yamlnode.Field(s, "default") != nil
}

func isSet(s *yaml.Node, name string) bool { return yamlnode.Text(yamlnode.Field(s, name)) == "true" }

// Emptied returns a conflict for each map of a custom resource that config has empty, and whose last entry a server-side
// apply removes: the server makes a null of it, which a CRD has to allow (rules/server-side-apply: dropped fields).
func Emptied(kind schema.Resource, config, live, result *yaml.Node) []merge.Conflict {
	root := kind.OpenAPI()
	if root == nil || live == nil {
		return nil
	}
	e := emptied{live: merge.NewFinder(live), result: merge.NewFinder(result)}
	e.visit(root, kind.Type, nil, config)
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
		has := func(f *merge.Finder) bool { v := f.Value(at); return v != nil && len(v.Content) > 0 }
		if has(e.live) && !has(e.result) && !allowsNull(s) {
			c := refusal(at, n, "the server makes a null of a map that loses its last entry, and the CRD allows none; leave the map out")
			c.Values[identity.Local] = e.live.Value(at)
			e.found = append(e.found, c)
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			property := yamlnode.Field(yamlnode.Field(s, "properties"), name)
			if property == nil {
				property = yamlnode.Field(s, "additionalProperties")
			}
			if property != nil {
				e.visit(property, known.Part(name), at.Field(name), n.Content[i+1])
			}
		}
	}
}
