package function

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

const (
	// likeness is how much of two resources must be equal for one to pass for
	// the other renamed.
	likeness = 0.8
	// maxPairs bounds how many pairs of resources are compared.
	maxPairs = 10_000
)

// seemsRenamed says what upstream seems to have called a resource, with the
// entry of the function config that has local's changes follow.
func seemsRenamed(m, to *merged) string {
	from := m.items[identity.Origin].entry().ID()
	switch {
	case from == to.id:
		return fmt.Sprintf("upstream seems to have moved it to %s; local's changes do not follow", to.file)
	case from.Namespace != "" && to.id.Namespace == "":
		return fmt.Sprintf("upstream seems to have renamed it to %s; local's changes do not follow", to.id.Name)
	}
	line := emptyMap()
	for _, f := range [3][2]string{{"kind", from.Kind}, {"from", from.Name}, {"to", to.id.Name}} {
		line = putField(line, nil, f[0], stringNode(f[1]))
	}
	if from.Namespace != to.id.Namespace {
		line = putField(line, nil, "to", stringNode(to.id.Namespace+"/"+to.id.Name))
	}
	if from.Namespace != to.id.Namespace && from.Namespace != "" {
		line = putField(line, nil, "from", stringNode(from.Namespace+"/"+from.Name))
	}
	return fmt.Sprintf("upstream seems to have renamed it; put `- %s` into renames", flow(line))
}

// renames finds what looks like a rename upstream: a resource that upstream
// deleted though local had customised it, and one of its kind that upstream
// added to the same package and that is mostly like it. To the merge these are two resources, and
// the customisation is lost.
func renames(all []*merged) framework.Results {
	var gone []*merged
	added := map[kindIn][]*merged{}
	for _, m := range all {
		switch {
		case deletedUpstream(m):
			gone = append(gone, m)
		case m.items[identity.Upstream] != nil && m.items[identity.Origin] == nil:
			added[m.kindIn(identity.Upstream)] = append(added[m.kindIn(identity.Upstream)], m)
		}
	}
	var results framework.Results
	pairs := 0
	for _, m := range gone {
		before := leaves(m.nodes[identity.Origin])
		for _, candidate := range added[m.kindIn(identity.Origin)] {
			if pairs++; pairs > maxPairs {
				return results
			}
			if alike(before, leaves(candidate.nodes[identity.Upstream])) > likeness {
				results = append(results, notice(m, seemsRenamed(m, candidate)))
			}
		}
	}
	return results
}

func deletedUpstream(m *merged) bool {
	for _, c := range m.Conflicts {
		if c.Kind == merge.UpstreamDeleted && c.Path == nil {
			return m.newest().meta.Naming == identity.ByName
		}
	}
	return false
}

// kindIn is a kind within a package.
type kindIn struct{ group, kind, pkg string }

func (m *merged) kindIn(side identity.Side) kindIn {
	return kindIn{group: m.id.Group, kind: m.id.Kind, pkg: m.items[side].pkg}
}
