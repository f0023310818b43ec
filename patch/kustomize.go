package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// checkSecondKeys returns an error if kustomize would not find the elements of a patch. It has two
// keys for some lists for which strategic merge has one, and no default for an absent key. So
// either all elements of both versions must have the second key, each the same in both, or none.
func (s strategic) checkSecondKeys(c *merge.Comparison) error {
	if slices.Contains([]string{"resourceClaims", "schedulingGates", "matchConditions"}, c.Name()) {
		return s.inexpressible(c, "kustomize does not know yet that its elements have keys")
	}
	second := secondKey(c)
	if second == "" {
		return nil
	}
	none, all := true, true
	for _, e := range slices.Concat(c.From.Content, c.To.Content) {
		has := yamlnode.Field(e, second) != nil
		none, all = none && !has, all && has
	}
	for _, part := range c.Parts {
		if part.From != nil && part.To != nil && yamlnode.Text(yamlnode.Field(part.From, second)) != yamlnode.Text(yamlnode.Field(part.To, second)) {
			all, none = false, false
		}
	}
	switch {
	case all:
		c.Keys = append(slices.Clone(c.Keys), second)
	case !none:
		return s.inexpressible(c, "kustomize finds its elements by "+second+" too, which some have and some lack")
	}
	return nil
}

// secondKey returns the second key that kustomize has for a list with one key, "" if there is none.
func secondKey(of *merge.Comparison) string {
	switch {
	case len(of.Keys) != 1:
	case of.Name() == "ports" && (of.Keys[0] == "containerPort" || of.Keys[0] == "port"):
		return "protocol"
	case of.Name() == "topologySpreadConstraints":
		return "whenUnsatisfiable"
	}
	return ""
}

// checkLists returns an error if kustomize would lose an element of a list with any patch: it reads
// every list of the resource, and takes elements with equal keys for one.
func checkLists(typ *schema.Type, at *merge.Path, n *yaml.Node) error {
	if typ == nil {
		return nil
	}
	if typ.Relation != schema.Atomic && n.Kind == yaml.SequenceNode {
		if reason := sameKeys(typ, at, n.Content); reason != "" {
			return inexpressible(Kustomize, at, reason)
		}
		for _, e := range n.Content {
			if err := checkLists(typ.Element(), at, e); err != nil {
				return err
			}
		}
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if err := checkLists(typ.Field(name), at.Field(name), n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// sameKeys returns the reason why kustomize would take some elements of a list for one, "" if it does
// not.
func sameKeys(list *schema.Type, at *merge.Path, elements []*yaml.Node) string {
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

// keysOf returns the values by which kustomize finds an element. An element of a set is its own key.
func keysOf(of *merge.Comparison, element *yaml.Node) (first *yaml.Node, second string) {
	if of.Keys == nil {
		return element, ""
	}
	if first = yamlnode.Field(element, of.Keys[0]); first != nil && (first.ShortTag() == "!!null" || first.Value == "") {
		first = nil
	}
	return first, yamlnode.Text(yamlnode.Field(element, secondKey(of)))
}
