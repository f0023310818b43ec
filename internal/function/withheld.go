package function

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// isWithheld reports whether the resource is new upstream, and local has several
// of its name in that file already: one more would be added on every run.
func (t triple) isWithheld() bool {
	return t.matched.Ambiguous && t.items[identity.Origin] == nil
}

// withheld is the outcome of such a resource (DESIGN 2): local's stay, and that
// upstream's does not come is a conflict.
func (t triple) withheld() merge.Outcome {
	return merge.Outcome{Conflicts: []merge.Conflict{{Kind: merge.LocalDeleted, Values: t.nodes, Chosen: identity.Local}}}
}
