package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// metadata is an entry of kustomize's labels or commonAnnotations.
type metadata struct{ transform.Metadata }

// labels are the labels that all of the fork has, and that were new on more than one
// resource.
func labels(built []*pair) []transformer { return common("labels", built) }

// annotations are the same for annotations.
func annotations(built []*pair) []transformer { return common("annotations", built) }

func common(field string, built []*pair) (out []transformer) {
	pairs := make([]transform.Pair, len(built))
	for i, p := range built {
		pairs[i] = transform.Pair{Base: p.patchedBase(), Fork: p.source}
	}
	for _, m := range transform.Common(field, pairs) {
		out = append(out, metadata{m})
	}
	return out
}

func (m metadata) apply(_ *pair, n *yaml.Node) *yaml.Node { return m.Apply(n) }

func (m metadata) undo(_ *pair, fork, base *yaml.Node) *yaml.Node { return m.Undo(fork, base) }

func (m metadata) write(k *yaml.Node) {
	if m.Field == "annotations" {
		all := yamlnode.Field(k, "commonAnnotations")
		if all == nil {
			all = yamlnode.EmptyMap()
			k.Content = append(k.Content, yamlnode.String("commonAnnotations"), all)
		}
		all.Content = append(all.Content, yamlnode.String(m.Key), m.Value)
		return
	}
	pairs, entry := yamlnode.EmptyMap(), yamlnode.EmptyMap()
	pairs.Content = append(pairs.Content, yamlnode.String(m.Key), m.Value)
	entry.Content = append(entry.Content, yamlnode.String("pairs"), pairs)
	if m.Templates {
		entry.Content = append(entry.Content, yamlnode.String("includeTemplates"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	list := sequence(k, "labels")
	list.Content = append(list.Content, entry)
}
