package transform

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Before returns n with the references that it had before kustomize corrected them: those of
// base, where kustomize makes the same of them.
func (r *Referrer) Before(n, base *yaml.Node) *yaml.Node {
	for _, f := range slices.Backward(referencesOf(r.is)) {
		known := map[string][]*yaml.Node{}
		if f.hasNamespace() {
			visit(base, f.path, func(v *yaml.Node) *yaml.Node {
				name := yamlnode.Text(yamlnode.Field(v, "name"))
				known[name] = append(known[name], v)
				return v
			})
		}
		n = visit(n, f.path, func(v *yaml.Node) *yaml.Node { return r.undone(f, v, known) })
	}
	return n
}

// undone is the reference of which kustomize makes v.
func (r *Referrer) undone(f reference, v *yaml.Node, known map[string][]*yaml.Node) *yaml.Node {
	name := v
	if v.Kind != yaml.ScalarNode {
		if name = yamlnode.Field(v, "name"); name == nil || !f.hasNamespace() {
			return v
		}
	}
	var would []*yaml.Node
	for _, m := range r.finally[[2]string{f.kind, name.Value}] {
		if v == name {
			would = append(would, yamlnode.WithText(v, m.Previous[0]))
			continue
		}
		would = append(would, known[m.Previous[0]]...)
		plain := yamlnode.WithField(v, "name", yamlnode.WithText(name, m.Previous[0]))
		would = append(would, v, yamlnode.Set(plain, nil, named(m.Was.Namespace), "namespace"))
	}
	for _, w := range would {
		if merge.Same(r.correct(f, w), v) {
			return w
		}
	}
	return v
}

// named is a name as a value, nil if it is "".
func named(name string) *yaml.Node {
	if name == "" {
		return nil
	}
	return yamlnode.String(name)
}
