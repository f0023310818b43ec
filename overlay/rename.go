package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// renamed is the patch of a resource that the fork calls otherwise: changed, which may be
// empty, with the new name.
func renamed(t patch.Target, changed *yaml.Node, name string) *yaml.Node {
	if changed == nil {
		changed = mapOf([2]string{"apiVersion", t.APIVersion}, [2]string{"kind", t.Kind})
	}
	return yamlnode.Set(changed, nil, yamlnode.String(name), "metadata", "name")
}
