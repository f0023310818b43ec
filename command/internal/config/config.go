// Package config reads the settings of a merge: the function config of the KRM
// function, which the command line takes as a file (rules/function: function config).
package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	configAPIVersion = "fn.kpt.dev/v1alpha1"
	configKind       = "ResourceMerge"
)

// Config is the function config (rules/function: function config): the typed kind, or a ConfigMap whose data has the
// keys that configMapKeys lists. An editor shows its doc comments, which docs/resource-merge.schema.json has.
type Config struct {
	// APIVersion is fn.kpt.dev/v1alpha1.
	APIVersion string `json:"apiVersion"`
	// Kind is ResourceMerge.
	Kind string `json:"kind"`
	// Metadata may name the config; it is not read.
	Metadata any `json:"metadata"`
	// Strategy is resource-merge, fast-forward, force-delete-replace, copy-merge, apply or
	// server-side-apply. The default is the strategy of the local root Kptfile, else resource-merge.
	Strategy string `json:"strategy"`
	// Upstream is the source of the copy, in a .resource-merge.yaml.
	Upstream  *Upstream `json:"upstream"`
	Apply     Apply     `json:"apply"`
	Sources   Sources   `json:"sources"`
	Conflicts Conflicts `json:"conflicts"`
	// Renames are the resources that upstream renamed, for renames that are not found otherwise.
	Renames []Rename `json:"renames"`
	// Lists gives keys to lists that no schema describes.
	Lists []ListRule `json:"lists"`
	// InferListKeys lets such a list get its keys from fields that all its elements have. The default is true.
	InferListKeys *bool `json:"inferListKeys"`
	// SetterComments lets a comment of Flux, `# {"$imagepolicy": "namespace:name"}`, decide a value that
	// both sides changed: the newer of two bumps is taken, and a deletion. The default is true.
	SetterComments *bool `json:"setterComments"`
	// MergeComment writes `# kpt-merge:` comments. The default is true.
	MergeComment *bool `json:"mergeComment"`
	// Adopt lists the changes of local to all its resources that resources added by upstream get too:
	// namespace, the default, and names (a prefix and a suffix). An empty list leaves added resources as
	// upstream has them.
	Adopt []string `json:"adopt"`
	// TextValues writes the values in results as strings, as Porch needs them. The default is false:
	// numbers and booleans stay numbers and booleans.
	TextValues bool `json:"textValues"`
	// Output is the form of the result: merged, the default, is the merged package; patches are the patches that change
	// local's or upstream's package into it; overlay is a kustomization over upstream that builds it.
	Output  string  `json:"output"`
	Patches Patches `json:"patches"`
	Overlay Overlay `json:"overlay"`
}

// mergeComments returns which resources get merge comments. A patch has none, since it names its resource.
func (c Config) mergeComments() pkgmerge.MergeComments {
	if c.Output == OutputPatches || c.MergeComment != nil && !*c.MergeComment {
		return pkgmerge.CommentNever
	}
	return pkgmerge.CommentChanged
}

func (c Config) hasMergeComments() bool { return c.MergeComment != nil && *c.MergeComment }

// Adoptions returns the names of the changes of local's that upstream's new resources may get, the default first.
func Adoptions() (names []string) {
	for _, a := range pkgmerge.Adoptions() {
		names = append(names, string(a))
	}
	return names
}

// adoptions returns the changes of local's that upstream's new resources get, nil if the config does not
// say. They are known only under resource-merge with an origin; elsewhere the setting is an error.
func (c Config) adoptions(strategy pkgmerge.Strategy, name fieldNames) ([]pkgmerge.Adoption, error) {
	if c.Adopt == nil {
		return nil, nil
	}
	out, usual := []pkgmerge.Adoption{}, pkgmerge.ResourceMerge{}.Name()
	with := ""
	if strategy != nil && strategy.Name() != usual {
		with = " with strategy " + strategy.Name() + ", allowed is strategy " + usual
	}
	for _, a := range c.Adopt {
		err := name.check(
			contradiction{!slices.Contains(Adoptions(), a), "adopt", a, ", " + wording.Allowed(a, Adoptions())},
			contradiction{with != "", "adopt", a, with},
			contradiction{c.Sources.Origin.None, "adopt", a, " without an origin: only origin shows the changes of local"},
			contradiction{c.Sources.Origin.From != "", "adopt", a, " with " + name("sources.origin.from") + ": live objects already have the names of local"},
		)
		if err != nil {
			return nil, err
		}
		out = append(out, pkgmerge.Adoption(a))
	}
	return out, nil
}

// inConfigMap returns the key of a ConfigMap for a field: its user has not seen the typed kind.
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
		{"setter-comments", "setterComments"},
		{"merge-comment", "mergeComment"},
		{"adopt-added", "adopt"},
		{"text-values", "textValues"},
		{"namespace", "apply.namespace"},
		{"field-manager", "apply.fieldManager"},
		{"force-conflicts", "apply.force"},
		{"inventory-policy", "apply.inventoryPolicy"},
		{"without-owners", "apply.withoutOwners"},
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
func fromConfigMap(n *yaml.Node) (*yaml.Node, error) {
	if err := checkConfigMap(n); err != nil {
		return nil, err
	}
	typed, data := yamlnode.EmptyMap(), yamlnode.Field(n, "data")
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
			return nil, fmt.Errorf("data: there is no key %q, %s", name, wording.Allowed(name, allowed))
		}
		v, err := configMapValue(name, field, yamlnode.Field(data, name))
		if err != nil {
			return nil, err
		}
		typed = yamlnode.Set(typed, nil, v, strings.Split(field, ".")...)
	}
	return typed, nil
}

// checkConfigMap returns an error for a field that a ConfigMap has not, such as Data, and for data that is no map:
// the settings there would count for nothing.
func checkConfigMap(n *yaml.Node) error {
	fields := []string{"apiVersion", "kind", "metadata", "data", "binaryData", "immutable"}
	for _, name := range yamlnode.Names(n) {
		if !slices.Contains(fields, name) {
			return fmt.Errorf("%s: there is no key %q, %s", name, name, wording.Allowed(name, fields))
		}
	}
	data := yamlnode.Field(n, "data")
	if data != nil && data.Kind != yaml.MappingNode && data.ShortTag() != "!!null" {
		return fmt.Errorf("data: %s is not allowed, allowed is a map", describe(data))
	}
	return cmp.Or(checkTwice("", n), checkTwice("data", data))
}

// configMapValue parses the value of a key for a field of the typed kind. Commas separate the elements of a list.
func configMapValue(key, field string, v *yaml.Node) (*yaml.Node, error) {
	if v.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("data.%s: want a string, found a list or a map", key)
	}
	t := reflect.TypeFor[Config]()
	for name := range strings.SplitSeq(field, ".") {
		t = fieldType(t, name)
	}
	switch t.Kind() {
	case reflect.Slice:
		return wordList(v.Value), nil
	case reflect.Bool:
		b, err := strconv.ParseBool(v.Value)
		if err != nil {
			return nil, fmt.Errorf("data.%s: %q is not allowed, allowed are true and false", key, v.Value)
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}, nil
	}
	return yamlnode.String(v.Value), nil
}

// wordList returns a list of the words that commas separate.
func wordList(text string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for word := range strings.SplitSeq(text, ",") {
		if text != "" {
			list.Content = append(list.Content, yamlnode.String(strings.TrimSpace(word)))
		}
	}
	return list
}

// inTypedKind returns the field's own name.
func inTypedKind(field string) string { return field }

// onCommandLine returns the flag for a field.
func onCommandLine(field string) string {
	flags := map[string]string{
		"strategy": "--strategy", "conflicts.prefer": "--conflicts", "adopt": "--adopt", "apply.namespace": "--namespace",
		"patches.form": "--patches", "patches.from": "--patches-from", "patches.precondition": "--precondition",
	}
	return cmp.Or(flags[field], field)
}

// fieldsOf returns the names of a struct's fields in a config.
func fieldsOf(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// fieldType returns the type of a struct's field, nil if there is no such field.
func fieldType(t reflect.Type, name string) reflect.Type {
	for f := range t.Fields() {
		switch {
		case f.Tag.Get("json") != name:
		case f.Type.Kind() == reflect.Pointer:
			return f.Type.Elem()
		default:
			return f.Type
		}
	}
	return nil
}

// checkShape returns an error if a node of the config does not fit its Go type. The error names the
// field, its value and the allowed values.
func checkShape(path string, n *yaml.Node, t reflect.Type) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	refuse := func(allowed string) error {
		return fmt.Errorf("%s: %s is not allowed, allowed %s", path, describe(n), allowed)
	}
	switch kind := t.Kind(); {
	case kind == reflect.Struct && n.Kind != yaml.MappingNode:
		return refuse("is a map with the fields " + strings.Join(fieldsOf(t), ", "))
	case kind == reflect.Struct:
		return checkFields(path, n, t)
	case kind == reflect.Slice && n.Kind != yaml.SequenceNode:
		return refuse("is a list")
	case kind == reflect.Bool && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool"):
		return refuse("are true and false")
	case kind == reflect.String && n.Kind == yaml.ScalarNode && n.Value != "" && n.ShortTag() != "!!str" && n.ShortTag() != "!!null":
		return fmt.Errorf("%s: %s is no string in YAML; write it in quotes: %q", path, n.Value, n.Value)
	case kind == reflect.String && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str"):
		return refuse("is a string")
	case kind == reflect.Slice:
		for i, c := range n.Content {
			if err := checkShape(fmt.Sprintf("%s[%d]", path, i), c, t.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTwice returns an error for a key that stands twice in a map: only one of the two would count.
func checkTwice(path string, n *yaml.Node) error {
	known := map[string]bool{}
	for _, name := range yamlnode.Names(n) {
		if known[name] {
			return fmt.Errorf("%s: the key %q stands twice in one map; remove one", strings.TrimPrefix(path+"."+name, "."), name)
		}
		known[name] = true
	}
	return nil
}

// checkFields checks the fields of a map against a struct's.
func checkFields(path string, n *yaml.Node, t reflect.Type) error {
	if err := checkTwice(path, n); err != nil {
		return err
	}
	for key, value := range yamlnode.Pairs(n) {
		name := key.Value
		at := strings.TrimPrefix(path+"."+name, ".")
		field := fieldType(t, name)
		if field == nil {
			return fmt.Errorf("%s: there is no key %q, %s", at, name, wording.Allowed(name, fieldsOf(t)))
		}
		if err := checkShape(at, value, field); err != nil {
			return err
		}
	}
	return nil
}

func describe(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("%q", n.Value)
	}
	return kindOf(n)
}

// kindOf names the kind of a node that should be a map. Its text is not shown: the file may be no config, but a key.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "null"
	}
	return "a scalar"
}

// fieldNames returns the name by which the user knows a field of the typed kind.
type fieldNames func(field string) string

// contradiction is a value that another setting rules out, if it was found.
type contradiction struct {
	found              bool
	field, value, rule string
}

// check returns an error about the first contradiction that was found.
func (name fieldNames) check(all ...contradiction) error {
	for _, c := range all {
		if c.found {
			return fmt.Errorf("%s: %q is not allowed%s", name(c.field), c.value, c.rule)
		}
	}
	return nil
}

// notAmong returns a contradiction if a value is given and not allowed.
func notAmong(field, value string, allowed []string) contradiction {
	if slices.Contains(allowed, value) {
		return contradiction{}
	}
	return contradiction{value != "", field, value, ", " + wording.Allowed(value, allowed)}
}
