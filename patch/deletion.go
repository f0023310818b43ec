package patch

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Deletion is the strategic patch by which kustomize leaves a resource out.
func Deletion(t Target) *yaml.Node {
	out := t.resource(yamlnode.EmptyMap())
	entry(out, patchDirective, yamlnode.String("delete"))
	return out
}
