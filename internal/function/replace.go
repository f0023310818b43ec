package function

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/merge"
)

// takesUpstream takes upstream's version of every resource, and none where
// upstream has none: local's stays only where the two are equal.
type takesUpstream struct{}

func (takesUpstream) keeps(t triple) bool { return t.sameText(identity.Upstream, identity.Local) }

func (takesUpstream) begin([]triple) error { return nil }

func (takesUpstream) decide(t triple) (merge.Outcome, error) {
	return merge.Outcome{Node: t.replaced()}, nil
}

// fastForward takes upstream's package if local made no changes of its own, and
// else fails with a list of what local changed. Comments count; the merge
// comment does not.
type fastForward struct{ takesUpstream }

func (fastForward) begin(triples []triple) error {
	differs := make([]bool, len(triples))
	err := parallel.Each(len(triples), func(i int) error {
		t := triples[i]
		err := t.parse()
		differs[i] = err == nil && t.customised()
		return err
	})
	if err != nil {
		return err
	}
	var differing []string
	for i, t := range triples {
		if differs[i] {
			differing = append(differing, t.newest().describe())
		}
	}
	if len(differing) > 0 {
		return fmt.Errorf("cannot fast-forward: local differs from origin and from upstream in %s: %s",
			plural(len(differing), "resource"), strings.Join(differing, "; "))
	}
	return nil
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
type forceDeleteReplace struct{ takesUpstream }

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
type copyMerge struct{ takesUpstream }

func (copyMerge) decide(t triple) (merge.Outcome, error) {
	if t.nodes[identity.Upstream] == nil && t.nodes[identity.Origin] == nil {
		return merge.Outcome{Node: t.nodes[identity.Local]}, nil
	}
	if t.isWithheld() {
		return t.withheld(), nil
	}
	return merge.Outcome{Node: t.replaced()}, nil
}
