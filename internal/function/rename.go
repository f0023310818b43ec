package function

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
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
				results = append(results, notice(m, fmt.Sprintf(
					"upstream seems to have renamed it to %s; local's changes do not follow", candidate.id.Name)))
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

// leaves counts the scalars of a resource by path and value, its own name left
// out.
func leaves(n *yaml.Node) map[string]int {
	out := map[string]int{}
	addLeaves(out, "", n)
	return out
}

func addLeaves(out map[string]int, path string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if at := path + "." + n.Content[i].Value; at != ".metadata.name" {
				addLeaves(out, at, n.Content[i+1])
			}
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			addLeaves(out, path+"["+strconv.Itoa(i)+"]", c)
		}
	default:
		out[path+"="+n.Value]++
	}
}

// alike is the share of leaves that two resources have in common, from 0 to 1.
func alike(a, b map[string]int) float64 {
	common, total := 0, 0
	for leaf, n := range a {
		common += min(n, b[leaf])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}
