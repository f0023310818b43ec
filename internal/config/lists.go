package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ListRule gives a list its keys (design 4, step 1).
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

// rule is the rule as the schema takes it.
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
