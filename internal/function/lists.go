package function

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ListRule gives a list its keys (DESIGN 4.1).
type ListRule struct {
	// Group is the API group, without the version; the default is the core group.
	Group string `json:"group"`
	// Kind is the kind of the resources that have the list.
	Kind string `json:"kind"`
	// Path is that of the list, with [*] for every element of a list above it.
	Path string `json:"path"`
	// Keys are the fields by which elements are told apart, or paths to them such
	// as metadata.name.
	Keys []string `json:"keys"`
}

// listRules is the config's lists as the schema takes them.
func (c Config) listRules() ([]schema.Rule, error) {
	var rules []schema.Rule
	for i, l := range c.Lists {
		rule, err := l.rule()
		if err != nil {
			return nil, fmt.Errorf("lists[%d].%w", i, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func (l ListRule) rule() (schema.Rule, error) {
	rule := schema.Rule{Group: l.Group, Kind: l.Kind}
	if l.Kind == "" {
		return rule, fmt.Errorf("kind: %q is not allowed, allowed is the kind of the resources that have the list", l.Kind)
	}
	pattern, err := merge.ParsePattern(l.Path)
	if err == nil {
		rule.Path, err = pattern.Steps()
	}
	if err != nil {
		return rule, fmt.Errorf("path: %w", err)
	}
	if len(l.Keys) == 0 {
		return rule, fmt.Errorf("keys: [] is not allowed, allowed are one or more fields of the elements")
	}
	for _, name := range l.Keys {
		if slices.Contains(strings.Split(name, "."), "") {
			return rule, fmt.Errorf("keys: %q is not allowed, allowed are fields of the elements, or paths such as metadata.name", name)
		}
		rule.Keys = append(rule.Keys, schema.Key{Name: name})
	}
	return rule, nil
}

// newSchema is what is known about the kinds of the items: the config's lists,
// the CRDs of the sides, and what is built in.
func newSchema(s sides, c Config) (*schema.Schema, error) {
	rules, err := c.listRules()
	if err != nil {
		return nil, err
	}
	if err := parseKnown(s, rules); err != nil {
		return nil, err
	}
	var crds []*yaml.Node
	for _, side := range [3]identity.Side{identity.Upstream, identity.Local, identity.Origin} {
		for _, it := range s.items[side] {
			if it.isCRD() {
				crds = append(crds, it.Node)
			}
		}
	}
	return schema.New(rules, crds, c.inferKeys()), nil
}

// parseKnown parses the items that are looked at whatever their versions are:
// the CRDs, and those that a rule may apply to.
func parseKnown(s sides, rules []schema.Rule) error {
	var items []*resourcelist.Item
	for _, it := range s.all() {
		if it.isCRD() || slices.ContainsFunc(rules, func(r schema.Rule) bool { return r.Kind == it.meta.Kind }) {
			items = append(items, it.Item)
		}
	}
	return resourcelist.Parse(items)
}

// schemaWarnings tells of CRDs that could not be used, and of rules for lists
// that no resource has.
func schemaWarnings(s sides, known *schema.Schema, c Config) framework.Results {
	var warnings framework.Results
	items := s.all()
	for _, w := range known.Warnings {
		at := slices.IndexFunc(items, func(it *item) bool { return it.Node == w.CRD })
		who, said := "CRD "+items[at].meta.Name, ": "+w.Text
		r := warn(items[at], who+cutFront(" "+w.Path, maxMessage-len(who)-len(said))+said)
		r.Field = &framework.Field{Path: w.Path}
		warnings = append(warnings, r)
	}
	rules, err := c.listRules()
	if err != nil {
		return warnings // ReadConfig has said so
	}
	for i, rule := range rules {
		if !slices.ContainsFunc(items, func(it *item) bool { return ruleApplies(rule, it) }) {
			warnings = append(warnings, &framework.Result{
				Severity: framework.Warning,
				Message:  fmt.Sprintf("functionConfig: lists[%d] matches nothing: no %s has a list at %s", i, rule.Kind, c.Lists[i].Path),
			})
		}
	}
	return warnings
}

func ruleApplies(rule schema.Rule, it *item) bool {
	return it.meta.Kind == rule.Kind && identity.Group(it.meta.APIVersion) == rule.Group && hasList(it.Node, rule.Path)
}

// hasList says whether there is a list at path below n.
func hasList(n *yaml.Node, path []string) bool {
	switch {
	case n == nil:
		return false
	case n.Kind == yaml.AliasNode:
		return hasList(n.Alias, path)
	case len(path) == 0:
		return n.Kind == yaml.SequenceNode
	case path[0] != schema.AnyElement:
		return hasList(fieldOf(n, path[0]), path[1:])
	}
	return n.Kind == yaml.SequenceNode && slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return hasList(c, path[1:]) })
}
