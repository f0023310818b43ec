package pkgmerge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// mention is a reference of a resource of the result, and what it means on the
// sides that have it too: in the namespace that the resource has there.
type mention struct {
	target
	on [3]target // the zero target if the side lacks it
}

// mentionsOf lists what the resource of the result names, each once.
func mentionsOf(trees [3]*yaml.Node, result *yaml.Node) []mention {
	found := references(result)
	if len(found) == 0 {
		return nil
	}
	var on [3]map[target]target
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		on[side] = map[target]target{}
		for _, t := range references(trees[side]) {
			on[side][t.within(trees[side])] = t
		}
	}
	var out []mention
	seen := map[target]bool{}
	for _, t := range found {
		if seen[t] {
			continue
		}
		seen[t] = true
		n, key := mention{target: t.kept()}, t.within(result)
		for side := range n.on {
			n.on[side] = on[side][key].kept()
		}
		out = append(out, n)
	}
	return out
}

// kept is the target without the texts that its parts were read from.
func (t target) kept() target {
	return target{kind: strings.Clone(t.kind), namespace: strings.Clone(t.namespace), name: strings.Clone(t.name)}
}

// within is the target as the resource n sees it: without the namespace, if that
// is n's own.
func (t target) within(n *yaml.Node) target {
	if t.namespace == yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace")) {
		t.namespace = ""
	}
	return t
}
