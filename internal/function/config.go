package function

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	configAPIVersion = "fn.kpt.dev/v1alpha1"
	configKind       = "ResourceMerge"
)

// Config is the function config (DESIGN 1): the typed kind, or a ConfigMap
// whose data has the keys that configMapKeys lists.
type Config struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Metadata   any       `json:"metadata"`
	Sources    Sources   `json:"sources"`
	Conflicts  Conflicts `json:"conflicts"`
	// Lists gives keys to lists that no schema describes.
	Lists []ListRule `json:"lists"`
	// InferListKeys says whether such a list may be keyed by what its elements
	// have in common; the default is true.
	InferListKeys *bool `json:"inferListKeys"`
	// MergeComment says whether to write `# kpt-merge:` comments; the default
	// is true.
	MergeComment *bool `json:"mergeComment"`
}

// Sources says which items are on which side (DESIGN 1.1).
type Sources struct {
	Origin   OriginSource `json:"origin"`
	Upstream Source       `json:"upstream"`
	Local    Source       `json:"local"`
	// Keep re-emits origin's and upstream's items, unchanged.
	Keep bool `json:"keep"`
}

// Source is where a side's items lie.
type Source struct {
	// Path is a directory of the package.
	Path string `json:"path"`
}

// OriginSource is where origin's items lie, or that there is no origin.
type OriginSource struct {
	Path string `json:"path"`
	// None says that there is no origin: nothing counts as deleted upstream,
	// and where both have a value upstream's is taken without a conflict.
	None bool `json:"none"`
}

// writeComments says whether the result gets merge comments.
func (c Config) writeComments() bool { return c.MergeComment == nil || *c.MergeComment }

// inferKeys says whether list keys may be inferred.
func (c Config) inferKeys() bool { return c.InferListKeys == nil || *c.InferListKeys }

// configured says whether any side has a path.
func (s Sources) configured() bool {
	return s.Origin.Path != "" || s.Upstream.Path != "" || s.Local.Path != ""
}

// check finds fields that contradict each other.
func (c Config) check() error {
	if c.Sources.Origin.None && c.Sources.Origin.Path != "" {
		return fmt.Errorf("functionConfig: sources.origin.none is true and sources.origin.path is %q; give one of them", c.Sources.Origin.Path)
	}
	sides := [3]string{c.Sources.Origin.Path, c.Sources.Upstream.Path, c.Sources.Local.Path}
	names := [3]string{"origin", "upstream", "local"}
	for i, path := range sides {
		if err := checkRelative(path); err != nil {
			return fmt.Errorf("functionConfig: sources.%s.path: %w", names[i], err)
		}
		for j := range i {
			if path != "" && cleanPath(path) == cleanPath(sides[j]) {
				return fmt.Errorf("functionConfig: sources.%s.path and sources.%s.path are both %q; each side needs a directory of its own", names[j], names[i], path)
			}
		}
	}
	if err := c.Conflicts.check(); err != nil {
		return fmt.Errorf("functionConfig: %w", err)
	}
	_, err := c.listRules()
	return err
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
	kind := valueText(fieldOf(n, "kind"))
	switch kind {
	case "ConfigMap":
		typed, err := fromConfigMap(fieldOf(n, "data"))
		if err != nil {
			return c, err
		}
		n = typed
	case configKind:
		if v := valueText(fieldOf(n, "apiVersion")); v != configAPIVersion {
			return c, fmt.Errorf("functionConfig: apiVersion %q of a %s is not known, allowed is %s", v, configKind, configAPIVersion)
		}
	default:
		return c, fmt.Errorf("functionConfig: kind %q is not known, allowed are ConfigMap and %s", kind, configKind)
	}
	if err := checkShape("", n, configShape()); err != nil {
		return c, fmt.Errorf("functionConfig: %w", err)
	}
	if err := framework.LoadFunctionConfig(kyaml.NewRNode(n), &c); err != nil {
		return c, fmt.Errorf("functionConfig: %w", err)
	}
	return c, c.check()
}

// configMapKeys maps the keys of a ConfigMap to fields of the typed kind.
func configMapKeys() []struct{ key, field string } {
	return []struct{ key, field string }{
		{"origin-path", "sources.origin.path"},
		{"origin-none", "sources.origin.none"},
		{"upstream-path", "sources.upstream.path"},
		{"local-path", "sources.local.path"},
		{"keep-sources", "sources.keep"},
		{"conflicts", "conflicts.prefer"},
		{"infer-list-keys", "inferListKeys"},
		{"merge-comment", "mergeComment"},
	}
}

// fromConfigMap turns a ConfigMap's data into the typed kind. Its values are
// strings; "true" and "false" are read as booleans where the field is one.
func fromConfigMap(data *yaml.Node) (*yaml.Node, error) {
	typed := emptyMap()
	for _, name := range names(data) {
		field := ""
		var allowed []string
		for _, k := range configMapKeys() {
			allowed = append(allowed, k.key)
			if k.key == name {
				field = k.field
			}
		}
		if field == "" {
			return nil, fmt.Errorf("functionConfig: data.%s: %q is not known, allowed are %s", name, valueText(fieldOf(data, name)), strings.Join(allowed, ", "))
		}
		v, err := configMapValue(name, field, fieldOf(data, name))
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
		return stringNode(v.Value), nil
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
		inner := fieldOf(mapping, path[0])
		if inner == nil {
			inner = emptyMap()
		}
		v = setPath(inner, path[1:], v)
	}
	return putField(mapping, nil, path[0], v)
}

func valueText(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}
