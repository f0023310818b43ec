package admission

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// refusal is a conflict at a place of a result.
func refusal(at *merge.Path, value *yaml.Node, reason string) merge.Conflict {
	return merge.Conflict{
		Kind: merge.Refused, Path: at, Reason: reason, Chosen: identity.Upstream,
		Values: [3]*yaml.Node{identity.Upstream: value},
	}
}
