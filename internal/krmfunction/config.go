package krmfunction

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	configAPIVersion = "fn.kpt.dev/v1alpha1"
	configKind       = "ResourceMerge"
)

// Config is the function config (DESIGN 1): the typed kind, or a ConfigMap
// whose data has the keys that configMapKeys lists. Its doc comments are what
// docs/resource-merge.schema.json tells the users of an editor.
type Config struct {
	// APIVersion is fn.kpt.dev/v1alpha1.
	APIVersion string `json:"apiVersion"`
	// Kind is ResourceMerge.
	Kind string `json:"kind"`
	// Metadata may name the config; it is not read.
	Metadata any `json:"metadata"`
	// Strategy is resource-merge, fast-forward, force-delete-replace or
	// copy-merge; the default is what the local root Kptfile says, else
	// resource-merge.
	Strategy  string    `json:"strategy"`
	Sources   Sources   `json:"sources"`
	Conflicts Conflicts `json:"conflicts"`
	// Renames are the resources that upstream renamed, where nothing else tells.
	Renames []Rename `json:"renames"`
	// Lists gives keys to lists that no schema describes.
	Lists []ListRule `json:"lists"`
	// InferListKeys says whether such a list may be keyed by what its elements
	// have in common; the default is true.
	InferListKeys *bool `json:"inferListKeys"`
	// MergeComment says whether to write `# kpt-merge:` comments; the default
	// is true.
	MergeComment *bool `json:"mergeComment"`
}

// writeComments says whether the result gets merge comments.
func (c Config) writeComments() bool { return c.MergeComment == nil || *c.MergeComment }

// inferKeys says whether list keys may be inferred.
func (c Config) inferKeys() bool { return c.InferListKeys == nil || *c.InferListKeys }

// check finds fields that contradict each other.
func (c Config) check() error {
	err := c.Conflicts.check()
	if err == nil {
		err = c.Sources.check()
	}
	if err == nil && c.Strategy != "" {
		if _, err = pkgmerge.StrategyNamed(c.Strategy); err != nil {
			err = fmt.Errorf("strategy: %w", err)
		}
	}
	if err == nil {
		err = c.checkRenames()
	}
	if err == nil {
		_, err = c.listRules()
	}
	if err != nil {
		return fmt.Errorf("functionConfig: %w", err)
	}
	return nil
}

// ReadConfig reads the function config; nil is none. An unknown kind, field or
// value is an error that names it and what is allowed.
func ReadConfig(n *yaml.Node) (Config, error) {
	var c Config
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return c, nil
	}
	if n.Kind != yaml.MappingNode {
		return c, fmt.Errorf("functionConfig: want a map, found %q", n.Value)
	}
	if len(n.Content) == 0 {
		return c, nil
	}
	switch kind := yamlnode.Text(yamlnode.Field(n, "kind")); kind {
	case "ConfigMap":
		typed, err := fromConfigMap(yamlnode.Field(n, "data"))
		if err != nil {
			return c, err
		}
		c, err = load(typed)
		return c, inConfigMap(err)
	case configKind:
		if v := yamlnode.Text(yamlnode.Field(n, "apiVersion")); v != configAPIVersion {
			return c, fmt.Errorf("functionConfig: apiVersion %q of a %s is not known, allowed is %s", v, configKind, configAPIVersion)
		}
	default:
		return c, fmt.Errorf("functionConfig: kind %q is not known, allowed are ConfigMap and %s", kind, configKind)
	}
	return load(n)
}

// load reads the typed kind.
func load(n *yaml.Node) (c Config, err error) {
	if err := checkShape("", n, configShape()); err != nil {
		return c, fmt.Errorf("functionConfig: %w", err)
	}
	if err := framework.LoadFunctionConfig(kyaml.NewRNode(n), &c); err != nil {
		return c, fmt.Errorf("functionConfig: %w", err)
	}
	return c, c.check()
}

// inConfigMap has an error name the key of the ConfigMap instead of the field
// of the typed kind, which its user has not seen.
func inConfigMap(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, k := range configMapKeys() {
		text = strings.Replace(text, "functionConfig: "+k.field+":", "functionConfig: data."+k.key+":", 1)
		if strings.Contains(k.field, ".") {
			text = strings.ReplaceAll(text, k.field+" is ", "data."+k.key+" is ")
		}
	}
	return errors.New(text)
}

// configMapKeys maps the keys of a ConfigMap to fields of the typed kind.
func configMapKeys() []struct{ key, field string } {
	return []struct{ key, field string }{
		{"strategy", "strategy"},
		{"origin-path", "sources.origin.path"},
		{"origin-none", "sources.origin.none"},
		{"origin-dir", "sources.origin.dir"},
		{"upstream-path", "sources.upstream.path"},
		{"upstream-dir", "sources.upstream.dir"},
		{"local-path", "sources.local.path"},
		{"local-dir", "sources.local.dir"},
		{"keep-sources", "sources.keep"},
		{"conflicts", "conflicts.prefer"},
		{"infer-list-keys", "inferListKeys"},
		{"merge-comment", "mergeComment"},
	}
}

// fromConfigMap turns a ConfigMap's data into the typed kind. Its values are
// strings; "true" and "false" are read as booleans where the field is one.
func fromConfigMap(data *yaml.Node) (*yaml.Node, error) {
	typed := yamlnode.EmptyMap()
	for _, name := range yamlnode.Names(data) {
		field := ""
		var allowed []string
		for _, k := range configMapKeys() {
			allowed = append(allowed, k.key)
			if k.key == name {
				field = k.field
			}
		}
		if field == "" {
			return nil, fmt.Errorf("functionConfig: data.%s: %q is not known, allowed are %s", name, yamlnode.Text(yamlnode.Field(data, name)), strings.Join(allowed, ", "))
		}
		v, err := configMapValue(name, field, yamlnode.Field(data, name))
		if err != nil {
			return nil, err
		}
		typed = setPath(typed, strings.Split(field, "."), v)
	}
	return typed, nil
}

// configMapValue reads a value for the field of the typed kind.
func configMapValue(key, field string, v *yaml.Node) (*yaml.Node, error) {
	if v.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("functionConfig: data.%s: want a string, found a list or a map", key)
	}
	if shapeAt(configShape(), strings.Split(field, ".")) != boolShape {
		return yamlnode.String(v.Value), nil
	}
	b, err := strconv.ParseBool(v.Value)
	if err != nil {
		return nil, fmt.Errorf("functionConfig: data.%s: %q is not allowed, allowed are true and false", key, v.Value)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}, nil
}

// setPath sets a field, making the maps that lead to it.
func setPath(mapping *yaml.Node, path []string, v *yaml.Node) *yaml.Node {
	if len(path) > 1 {
		inner := yamlnode.Field(mapping, path[0])
		if inner == nil {
			inner = yamlnode.EmptyMap()
		}
		v = setPath(inner, path[1:], v)
	}
	return yamlnode.Put(mapping, nil, path[0], v)
}
