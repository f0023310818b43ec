package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
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
