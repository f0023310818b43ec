package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// isWithheld reports whether the resource is new upstream, and local has several
// of its name in that file already: one more would be added on every run.
func (m *Match) isWithheld() bool { return m.how.Ambiguous && !m.Has(identity.Origin) }

// withheld is the outcome of such a resource (design 2): local's stay, and that
// upstream's does not come is a conflict.
func (m *Match) withheld(trees [3]*yaml.Node) merge.Outcome {
	return merge.Outcome{
		Verdict:   merge.Drop,
		Conflicts: []merge.Conflict{{Kind: merge.LocalDeleted, Values: trees, Chosen: identity.Local}},
	}
}
