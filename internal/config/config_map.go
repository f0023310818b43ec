package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// inConfigMap are the keys of a ConfigMap: its user has not seen the typed kind.
func inConfigMap(field string) string {
	for _, k := range configMapKeys() {
		if k.field == field {
			return "data." + k.key
		}
	}
	return field
}

// configMapKeys maps the keys of a ConfigMap to fields of the typed kind.
func configMapKeys() []struct{ key, field string } {
	return []struct{ key, field string }{
		{"strategy", "strategy"},
		{"origin-path", "sources.origin.path"},
		{"origin-none", "sources.origin.none"},
		{"origin-dir", "sources.origin.dir"},
		{"origin-from", "sources.origin.from"},
		{"upstream-path", "sources.upstream.path"},
		{"upstream-dir", "sources.upstream.dir"},
		{"local-path", "sources.local.path"},
		{"local-dir", "sources.local.dir"},
		{"keep-sources", "sources.keep"},
		{"conflicts", "conflicts.prefer"},
		{"infer-list-keys", "inferListKeys"},
		{"merge-comment", "mergeComment"},
		{"adopt-added", "adopt"},
		{"text-values", "textValues"},
		{"namespace", "apply.namespace"},
		{"field-manager", "apply.fieldManager"},
		{"force-conflicts", "apply.force"},
		{"inventory-policy", "apply.inventoryPolicy"},
		{"adopt", "apply.adopt"},
		{"output", "output"},
		{"patch-form", "patches.form"},
		{"patch-from", "patches.from"},
		{"precondition", "patches.precondition"},
		{"overlay-base", "overlay.base"},
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
			return nil, fmt.Errorf("data.%s: %q is not known, allowed are %s", name, yamlnode.Text(yamlnode.Field(data, name)), strings.Join(allowed, ", "))
		}
		v, err := configMapValue(name, field, yamlnode.Field(data, name))
		if err != nil {
			return nil, err
		}
		typed = setPath(typed, strings.Split(field, "."), v)
	}
	return typed, nil
}

// configMapValue reads a value for the field of the typed kind. Commas are between the
// elements of a list.
func configMapValue(key, field string, v *yaml.Node) (*yaml.Node, error) {
	if v.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("data.%s: want a string, found a list or a map", key)
	}
	switch shapeAt(configShape(), strings.Split(field, ".")) {
	case listShape:
		return listOfWords(v.Value), nil
	case boolShape:
	default:
		return yamlnode.String(v.Value), nil
	}
	b, err := strconv.ParseBool(v.Value)
	if err != nil {
		return nil, fmt.Errorf("data.%s: %q is not allowed, allowed are true and false", key, v.Value)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}, nil
}

// listOfWords is a list of what stands between commas: nothing if the text is empty.
func listOfWords(text string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if text == "" {
		return list
	}
	for word := range strings.SplitSeq(text, ",") {
		list.Content = append(list.Content, yamlnode.String(strings.TrimSpace(word)))
	}
	return list
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
