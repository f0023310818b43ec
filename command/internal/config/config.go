// Package config reads what a user says of a merge: the function config of the KRM
// function, which the command line takes as a file (rules/function: function config).
package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	configAPIVersion = "fn.kpt.dev/v1alpha1"
	configKind       = "ResourceMerge"
)

// Config is the function config (rules/function: function config): the typed kind, or a
// ConfigMap whose data has the keys that configMapKeys lists. Its doc comments are what
// docs/resource-merge.schema.json tells the users of an editor.
type Config struct {
	// APIVersion is fn.kpt.dev/v1alpha1.
	APIVersion string `json:"apiVersion"`
	// Kind is ResourceMerge.
	Kind string `json:"kind"`
	// Metadata may name the config; it is not read.
	Metadata any `json:"metadata"`
	// Strategy is resource-merge, fast-forward, force-delete-replace or
	// copy-merge, or apply or server-side-apply, which need not be about packages; the
	// default is what the local root Kptfile says, else resource-merge.
	Strategy  string    `json:"strategy"`
	Apply     Apply     `json:"apply"`
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
	// Adopt is what the resources that upstream adds get of what local did to all of its own:
	// namespace, the default, names (a prefix and a suffix), labels, annotations and images (the
	// registry); an empty list leaves them as upstream has them.
	Adopt []string `json:"adopt"`
	// TextValues says that results have values as strings, as Porch needs them; the
	// default is false, where numbers and booleans are what they are.
	TextValues bool `json:"textValues"`
	// Output is what comes out: merged, the default, is local's package as it is merged;
	// patches are what makes it of local's or upstream's; overlay is a kustomization over
	// upstream that builds it.
	Output  string  `json:"output"`
	Patches Patches `json:"patches"`
	Overlay Overlay `json:"overlay"`
}

// mergeComments says which resources get merge comments. A patch has none: what it applies
// to it names.
func (c Config) mergeComments() pkgmerge.MergeComments {
	if c.Output == OutputPatches || c.MergeComment != nil && !*c.MergeComment {
		return pkgmerge.CommentNever
	}
	return pkgmerge.CommentChanged
}

// inferKeys reports whether list keys may be inferred.
func (c Config) inferKeys() bool { return c.InferListKeys == nil || *c.InferListKeys }

// configShape is the shape of Config, read off the Go type so that the two
// cannot differ.
func configShape() shape { return shapeOf(reflect.TypeFor[Config]()) }

// Adoptions are what a config may have upstream's new resources get; the first is the usual one.
func Adoptions() (names []string) {
	for _, a := range pkgmerge.Adoptions() {
		names = append(names, string(a))
	}
	return names
}

// adoptions reads what upstream's new resources get, nil if the config does not say, and finds what
// has no effect on them: what local did to all of its own is known under resource-merge with an
// origin alone.
func (c Config) adoptions(strategy pkgmerge.Strategy, name fieldNames) ([]pkgmerge.Adoption, error) {
	if c.Adopt == nil {
		return nil, nil
	}
	out, usual := []pkgmerge.Adoption{}, pkgmerge.ResourceMerge{}.Name()
	const refused = "%s: %q is not allowed %s"
	for _, a := range c.Adopt {
		switch {
		case !slices.Contains(Adoptions(), a):
			return nil, fmt.Errorf("%s: %q is not allowed, allowed are %s", name("adopt"), a, strings.Join(Adoptions(), ", "))
		case strategy != nil && strategy.Name() != usual:
			return nil, fmt.Errorf(refused, name("adopt"), a, "with strategy "+strategy.Name()+", allowed is strategy "+usual)
		case c.Sources.Origin.None:
			return nil, fmt.Errorf(refused, name("adopt"), a, "without an origin: origin tells what local changed")
		case c.Sources.Origin.From != "":
			return nil, fmt.Errorf(refused, name("adopt"), a, "with "+name("sources.origin.from")+": what is live has local's names already")
		}
		out = append(out, pkgmerge.Adoption(a))
	}
	return out, nil
}

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

// fieldNames is what the user calls a field of the typed kind.
type fieldNames func(field string) string

// inTypedKind are the fields' own names.
func inTypedKind(field string) string { return field }

// onCommandLine are the flags that stand for fields.
func onCommandLine(field string) string {
	switch field {
	case "strategy":
		return "--strategy"
	case "conflicts.prefer":
		return "--conflicts"
	case "adopt":
		return "--adopt"
	case "patches.form":
		return "--patches"
	case "patches.from":
		return "--patches-from"
	case "patches.precondition":
		return "--precondition"
	}
	return field
}
