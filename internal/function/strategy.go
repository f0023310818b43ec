package function

import (
	"errors"
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Strategy decides what becomes of each resource (DESIGN 6).
type Strategy interface {
	// keeps says whether the texts of a resource's versions alone tell that
	// local's stays as it is; then there is no need to parse them.
	keeps(t triple) bool
	// begin decides what concerns several resources at once.
	begin(triples []triple) error
	// decide decides one resource, which is parsed. An outcome without a node is a
	// resource that the result does not have. Calls may overlap.
	decide(t triple) (merge.Outcome, error)
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

// keeps holds where upstream is as local is or as origin was (DESIGN 9). A null
// that only local has is a deletion, to be carried out.
func (resourceMerge) keeps(t triple) bool {
	return t.sameText(identity.Upstream, identity.Local) ||
		t.sameText(identity.Origin, identity.Upstream) && !t.items[identity.Local].MayHaveNull()
}

// begin settles the subpackages that come, go or stay as one.
func (m resourceMerge) begin(triples []triple) error {
	if m.twoWay {
		return nil
	}
	err := parallel.Each(len(triples), func(i int) error {
		if t := &triples[i]; t.isPackaged() {
			return t.parse()
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range subpackages(triples) {
		if triples[p.head].settled != nil {
			continue // with the package around it
		}
		prefer := m.conflicts.preferenceFor(triples[p.head])
		verdict, conflict, err := p.decide(triples, prefer.policy)
		if err != nil {
			return err
		}
		if verdict != memberwise {
			p.settle(triples, verdict, conflict)
		}
	}
	return nil
}

func (m resourceMerge) decide(t triple) (merge.Outcome, error) {
	if t.isWithheld() {
		return t.withheld(), nil
	}
	if l := t.nodes[identity.Local]; l != nil && isInventory(l) {
		return merge.Outcome{Node: l}, nil
	}
	out, err := merge.Resource(t.nodes, m.kind(t), m.conflicts.preferenceFor(t).policy)
	if fault := (*merge.Fault)(nil); errors.As(err, &fault) {
		it := t.items[fault.Side]
		return out, fmt.Errorf("%s on the %s side: line %d of the item: %s", it.describe(), fault.Side, it.LineWithin(fault.Line), fault.Reason)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", t.newest().describe(), err)
	}
	if m.twoWay {
		out.Conflicts = nil
	}
	return out, nil
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
