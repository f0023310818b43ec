package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// consistent finds elements that kustomize would not find by what the patch says. It has
// two keys for some lists for which strategic merge has one, and no default for an absent
// one. So either all elements of both versions must have the second, and each the same
// in both, or none.
func (s strategic) consistent(c *merge.Comparison) error {
	if slices.Contains([]string{"resourceClaims", "schedulingGates", "matchConditions"}, c.Name()) {
		return s.unsayable(c, "kustomize does not know yet that its elements have keys")
	}
	second := secondKey(c)
	if second == "" {
		return nil
	}
	none, all := hasField(second, slices.Concat(c.From.Content, c.To.Content))
	for _, part := range c.Parts {
		if part.From != nil && part.To != nil && yamlnode.Text(yamlnode.Field(part.From, second)) != yamlnode.Text(yamlnode.Field(part.To, second)) {
			all, none = false, false
		}
	}
	switch {
	case all:
		c.Keys = append(slices.Clone(c.Keys), second)
	case !none:
		return s.unsayable(c, "kustomize finds its elements by "+second+" too, which some have and some lack")
	}
	return nil
}

// secondKey is the other field by which kustomize finds the elements of a list that
// strategic merge has one key for, "" if there is none.
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

// hasField reports how many elements of lists have a field, none or all of them.
func hasField(name string, elements []*yaml.Node) (none, all bool) {
	none, all = true, true
	for _, e := range elements {
		has := yamlnode.Field(e, name) != nil
		none, all = none && !has, all && has
	}
	return none, all
}

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
