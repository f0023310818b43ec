package function

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// keepsEqual is for a strategy that takes upstream's version: local's stays only
// where the two are equal.
type keepsEqual struct{}

func (keepsEqual) keeps(t triple) bool { return t.sameText(identity.Upstream, identity.Local) }

// fastForward takes upstream's package if local made no changes of its own, and
// else fails with a list of what local changed. Comments count; the merge
// comment does not.
type fastForward struct{ keepsEqual }

func (fastForward) Apply(triples []triple) ([]merge.Outcome, error) {
	var differing []string
	for _, t := range triples {
		if t.customised() {
			differing = append(differing, t.newest().describe())
		}
	}
	if len(differing) > 0 {
		return nil, fmt.Errorf("cannot fast-forward: local differs from origin and from upstream in %s: %s",
			plural(len(differing), "resource"), strings.Join(differing, "; "))
	}
	return replaceAll(triples), nil
}

// customised says whether local differs from both origin and upstream.
func (t triple) customised() bool {
	l := t.nodes[identity.Local]
	if t.kept || l != nil && isInventory(l) {
		return false
	}
	return !merge.Alike(l, t.nodes[identity.Origin]) && !merge.Alike(l, t.nodes[identity.Upstream])
}

// forceDeleteReplace takes upstream's package; what only local has goes.
type forceDeleteReplace struct{ keepsEqual }

func (forceDeleteReplace) Apply(triples []triple) ([]merge.Outcome, error) {
	return replaceAll(triples), nil
}

// replaceAll takes upstream's version of every resource, and none where
// upstream has none.
func replaceAll(triples []triple) []merge.Outcome {
	outcomes := make([]merge.Outcome, len(triples))
	for i, t := range triples {
		outcomes[i] = merge.Outcome{Node: t.replaced()}
	}
	return outcomes
}

// replaced is upstream's version, or local's very node where that says the same
// in the same words, or is an inventory template.
func (t triple) replaced() *yaml.Node {
	l, u := t.nodes[identity.Local], t.nodes[identity.Upstream]
	if l != nil && (isInventory(l) || merge.Alike(l, u)) {
		return l
	}
	return u
}

// copyMerge takes upstream's version of every resource that upstream has; what
// only local has stays, and what upstream dropped since origin goes.
type copyMerge struct{ keepsEqual }

func (copyMerge) Apply(triples []triple) ([]merge.Outcome, error) {
	outcomes := replaceAll(triples)
	for i, t := range triples {
		if t.nodes[identity.Upstream] == nil && t.nodes[identity.Origin] == nil {
			outcomes[i].Node = t.nodes[identity.Local]
		}
	}
	return outcomes, nil
}
