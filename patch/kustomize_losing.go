package patch

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// losing finds a list of a version of which kustomize would lose an element, whatever the
// patch is about: it reads every list of the resource, and takes elements for one that its
// keys do not tell apart.
func losing(typ *schema.Type, at *merge.Path, n *yaml.Node) error {
	if typ == nil {
		return nil
	}
	if typ.Relation != schema.Atomic && n.Kind == yaml.SequenceNode {
		if reason := alike(typ, at, n.Content); reason != "" {
			return &Unsayable{Form: Kustomize, Path: at, Reason: reason}
		}
		for _, e := range n.Content {
			if err := losing(typ.Element(), at, e); err != nil {
				return err
			}
		}
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if err := losing(typ.Field(name), at.Field(name), n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// alike says why kustomize would take some elements of a list for one, "" if it does not.
func alike(list *schema.Type, at *merge.Path, elements []*yaml.Node) string {
	of, seen := &merge.Comparison{Path: at}, map[string][]string{}
	if len(list.Keys) > 0 {
		of.Keys = []string{list.Keys[0].Name}
	}
	for _, e := range elements {
		first, second := keysOf(of, e)
		if first == nil {
			return "kustomize does not keep apart elements that lack the key " + of.Keys[0]
		}
		key := yamlnode.Text(first)
		for _, other := range seen[key] {
			if other == second || other == "" || second == "" {
				return "kustomize takes two elements for one, since they have the same key"
			}
		}
		seen[key] = append(seen[key], second)
	}
	return ""
}

// keysOf are the values by which kustomize finds an element. One of a set is its own key.
func keysOf(of *merge.Comparison, element *yaml.Node) (first *yaml.Node, second string) {
	if of.Keys == nil {
		return element, ""
	}
	if first = yamlnode.Field(element, of.Keys[0]); first != nil && (first.ShortTag() == "!!null" || first.Value == "") {
		first = nil
	}
	return first, yamlnode.Text(yamlnode.Field(element, secondKey(of)))
}
