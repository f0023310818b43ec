package function

import (
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// triple is the versions of one resource, nil where a side has none.
type triple struct {
	id    identity.ID
	items [3]*item
	// nodes are the items' contents without bookkeeping.
	nodes [3]*yaml.Node
}

// Strategy decides what becomes of each resource (DESIGN 6). The outcomes are
// in the triples' order; an outcome without a node is a resource that the
// result does not have.
type Strategy interface {
	Apply(triples []triple) ([]merge.Outcome, error)
}

// The names of the strategies, as the function config and a Kptfile give them.
const (
	strategyResourceMerge      = "resource-merge"
	strategyFastForward        = "fast-forward"
	strategyForceDeleteReplace = "force-delete-replace"
	strategyCopyMerge          = "copy-merge"
)

func checkStrategy(name string) error {
	switch name {
	case strategyResourceMerge, strategyFastForward, strategyForceDeleteReplace, strategyCopyMerge:
		return nil
	}
	return fmt.Errorf("%q is not allowed, allowed are %s, %s, %s, %s", name,
		strategyResourceMerge, strategyFastForward, strategyForceDeleteReplace, strategyCopyMerge)
}

// newStrategy makes the strategy of that name.
func newStrategy(name string, known *schema.Schema, c Config) Strategy {
	switch name {
	case strategyFastForward:
		return fastForward{}
	case strategyForceDeleteReplace:
		return forceDeleteReplace{}
	case strategyCopyMerge:
		return copyMerge{}
	}
	return resourceMerge{schema: known, conflicts: c.Conflicts, twoWay: c.Sources.Origin.None}
}

// resourceMerge merges field by field (DESIGN 3).
type resourceMerge struct {
	schema    *schema.Schema
	conflicts Conflicts
	// twoWay says that there is no origin: upstream's value is taken where both
	// have one, and that is no conflict.
	twoWay bool
}

func (m resourceMerge) Apply(triples []triple) ([]merge.Outcome, error) {
	outcomes := make([]merge.Outcome, len(triples))
	settled := make([]bool, len(triples))
	if !m.twoWay {
		if err := m.packages(triples, outcomes, settled); err != nil {
			return nil, err
		}
	}
	for i, t := range triples {
		if settled[i] {
			continue
		}
		out, err := m.resource(t)
		if err != nil {
			return nil, err
		}
		outcomes[i] = out
	}
	return outcomes, nil
}

// packages settles the subpackages that come, go or stay as one.
func (m resourceMerge) packages(triples []triple, outcomes []merge.Outcome, settled []bool) error {
	for _, p := range subpackages(triples) {
		if settled[p.head] {
			continue // with the package around it
		}
		prefer := m.conflicts.preferenceFor(triples[p.head].newest().meta)
		verdict, conflict, err := p.decide(triples, prefer.policy)
		if err != nil {
			return err
		}
		if verdict == memberwise {
			continue
		}
		p.settle(triples, outcomes, settled, verdict, conflict)
	}
	return nil
}

func (m resourceMerge) resource(t triple) (merge.Outcome, error) {
	if l := t.nodes[identity.Local]; l != nil && isInventory(l) {
		return merge.Outcome{Node: l}, nil
	}
	out, err := merge.Resource(t.nodes, m.kind(t), m.conflicts.preferenceFor(t.newest().meta).policy)
	if err != nil {
		return out, fmt.Errorf("%s: %w", t.newest().describe(), err)
	}
	if m.twoWay {
		out.Conflicts = nil
	}
	return out, nil
}

// newest is the version by whose names and file the user knows the resource.
func (t triple) newest() *item {
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if t.items[side] != nil {
			return t.items[side]
		}
	}
	return t.items[identity.Origin]
}

// kind is what is known about a resource's kind. A kustomization.yaml may lack
// its kind and its apiVersion.
func (m resourceMerge) kind(t triple) schema.Resource {
	apiVersion, kind := merge.ResultKind(t.nodes)
	group, version := identity.Group(apiVersion), identity.Version(apiVersion)
	if group == "" && (kind == "" || kind == "Kustomization" || kind == "Component") {
		switch path.Base(t.newest().path) {
		case "kustomization.yaml", "kustomization.yml", "Kustomization":
			group, kind = "kustomize.config.k8s.io", "Kustomization"
		}
	}
	return m.schema.Resource(group, version, kind)
}

// isInventory says whether a resource is an inventory template of kpt's. It is
// local's own: never deleted, never overwritten (DESIGN 3.8).
func isInventory(n *yaml.Node) bool {
	labels := fieldOf(fieldOf(n, "metadata"), "labels")
	return valueText(fieldOf(n, "kind")) == "ConfigMap" && fieldOf(labels, "cli-utils.sigs.k8s.io/inventory-id") != nil
}
