package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// applyResult is what the server would hold: the live object with what the apply changes,
// or the config of one that is created.
func applyResult(out merge.Outcome, trees [3]*yaml.Node) *yaml.Node {
	if out.Node == nil {
		return trees[identity.Upstream]
	}
	return out.Node
}
