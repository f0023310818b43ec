package patch

import (
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Component is a kustomize Component that has the patches, each with its target (design
// 16.3). Patches of other forms than JSON say their target themselves.
func Component(patches []Patch) (*yaml.Node, error) {
	out, all := yamlnode.EmptyMap(), list()
	entry(out, "apiVersion", yamlnode.String("kustomize.config.k8s.io/v1alpha1"))
	entry(out, "kind", yamlnode.String("Component"))
	for _, p := range patches {
		text, err := p.YAML()
		if err != nil {
			return nil, err
		}
		one := yamlnode.EmptyMap()
		if p.Form == JSON {
			entry(one, "target", p.Target.Selector())
		}
		literal := yamlnode.String(string(text))
		literal.Style = yaml.LiteralStyle
		entry(one, "patch", literal)
		all.Content = append(all.Content, one)
	}
	entry(out, "patches", all)
	return out, nil
}

// Selector is the target as kustomize selects it, whose names are regular expressions.
func (t Target) Selector() *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, f := range [5][2]string{
		{"group", identity.Group(t.APIVersion)}, {"version", identity.Version(t.APIVersion)}, {"kind", t.Kind},
		{"name", regexp.QuoteMeta(t.Name)}, {"namespace", regexp.QuoteMeta(t.Namespace)},
	} {
		if f[1] != "" {
			entry(out, f[0], text(f[1]))
		}
	}
	return out
}
