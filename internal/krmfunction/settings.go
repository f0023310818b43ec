package krmfunction

import (
	"fmt"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Settings are the function config, checked, in the terms of the merge.
type Settings struct {
	Config
	policy  pkgmerge.Rules
	lists   []schema.Rule
	renames []identity.Rename
	// strategy is nil if the config names none.
	strategy pkgmerge.Strategy
}

// ReadConfig reads the function config; nil is none. An unknown kind, field or
// value is an error that names it and what is allowed.
func ReadConfig(n *yaml.Node) (Settings, error) {
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return Settings{}, nil
	}
	if n.Kind != yaml.MappingNode {
		return Settings{}, fmt.Errorf("functionConfig: want a map, found %q", n.Value)
	}
	if len(n.Content) == 0 {
		return Settings{}, nil
	}
	switch kind := yamlnode.Text(yamlnode.Field(n, "kind")); kind {
	case "ConfigMap":
		typed, err := fromConfigMap(yamlnode.Field(n, "data"))
		if err != nil {
			return Settings{}, err
		}
		return load(typed, inConfigMap)
	case configKind:
		if v := yamlnode.Text(yamlnode.Field(n, "apiVersion")); v != configAPIVersion {
			return Settings{}, fmt.Errorf("functionConfig: apiVersion %q of a %s is not known, allowed is %s", v, configKind, configAPIVersion)
		}
	default:
		return Settings{}, fmt.Errorf("functionConfig: kind %q is not known, allowed are ConfigMap and %s", kind, configKind)
	}
	return load(n, inTypedKind)
}

// load reads the typed kind.
func load(n *yaml.Node, name fieldNames) (s Settings, err error) {
	if err := checkShape("", n, configShape()); err != nil {
		return s, fmt.Errorf("functionConfig: %w", err)
	}
	if err := framework.LoadFunctionConfig(kyaml.NewRNode(n), &s.Config); err != nil {
		return s, fmt.Errorf("functionConfig: %w", err)
	}
	if err := s.parse(name); err != nil {
		return s, fmt.Errorf("functionConfig: %w", err)
	}
	return s, nil
}

// parse reads what the config's strings say, and finds fields that contradict
// each other.
func (s *Settings) parse(name fieldNames) (err error) {
	if s.policy, err = s.Conflicts.policy(name); err != nil {
		return err
	}
	if err := s.Sources.check(name); err != nil {
		return err
	}
	if s.Strategy != "" {
		if s.strategy, err = pkgmerge.StrategyNamed(s.Strategy); err != nil {
			return fmt.Errorf("%s: %w", name("strategy"), err)
		}
	}
	for i, r := range s.Renames {
		if err := r.check(); err != nil {
			return fmt.Errorf("renames[%d].%w", i, err)
		}
		s.renames = append(s.renames, identity.Rename(r))
	}
	for i, l := range s.Lists {
		rule, err := l.rule()
		if err != nil {
			return fmt.Errorf("lists[%d].%w", i, err)
		}
		s.lists = append(s.lists, rule)
	}
	return nil
}
