package pkgmerge

import (
	"context"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ResourceMerge merges field by field (design 3).
type ResourceMerge struct {
	// WholeImages says that a container image is one value, and not a name and a tag: so it
	// is where both sides are branches of one repository (design 18).
	WholeImages bool
}

// Name is what the function config and a Kptfile call the strategy.
func (ResourceMerge) Name() string { return "resource-merge" }

// Prepare decides the subpackages that come, go or stay as one (design 7).
func (ResourceMerge) Prepare(_ context.Context, matches []*Match) (map[int]merge.Outcome, error) {
	if len(matches) == 0 || matches[0].noOrigin {
		return nil, nil
	}
	err := parallel.Each(len(matches), func(i int) error {
		if !matches[i].isPackaged() {
			return nil
		}
		_, err := matches[i].Trees()
		return err
	})
	if err != nil {
		return nil, err
	}
	return decideSubpackages(matches)
}

// Merge merges one resource.
func (s ResourceMerge) Merge(m *Match) (merge.Outcome, error) {
	if keepsLocal(m) {
		return take(m, identity.Local), nil
	}
	trees, err := kptfileTrees(m)
	if err != nil {
		return merge.Outcome{}, err
	}
	if m.isWithheld() {
		return m.withheld(trees), nil
	}
	if isInventory(trees[identity.Local]) {
		return take(m, identity.Local), nil
	}
	rules := merge.ThreeWay{WholeImages: s.WholeImages, RemovalsCollide: m.removalsCollide, LocalFirst: m.localFirst, Moves: m.moves}
	out, err := merge.ResourceBy(rules, trees, m.kind(trees), m.policy())
	if fault := (*merge.Fault)(nil); errors.As(err, &fault) {
		return out, faulty(m.Versions[fault.Side], fault)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	if m.noOrigin && !m.policy().Marks(nil) {
		out.Conflicts = nil
	}
	return out, nil
}

// faulty is the error of a version that cannot be merged.
func faulty(r *Resource, fault *merge.Fault) error {
	if r.item.IsDocument() {
		line := r.item.Line + r.item.LineWithin(fault.Line) - 1
		return &unreadableError{resource: r, text: fmt.Sprintf("%s: line %d: %s", r.label(), line, fault.Reason)}
	}
	return fmt.Errorf("%s on the %s side: line %d of the item: %s", r, fault.Side, r.item.LineWithin(fault.Line), fault.Reason)
}

// keepsLocal reports whether the texts alone tell that local's version stays:
// upstream is as local is, or as origin was (design 9). A null that only local
// has is a deletion, to be carried out, and of a Kptfile some fields are decided
// by rules of their own.
func keepsLocal(m *Match) bool {
	if !m.Has(identity.Local) || !m.Has(identity.Origin) || m.Newest().isKptfile() {
		return false
	}
	return m.SameText(identity.Upstream, identity.Local) ||
		m.SameText(identity.Origin, identity.Upstream) && !m.mayHaveNull(identity.Local)
}

// kind is what is known about the kind of a resource. A kustomization.yaml may
// lack its kind and its apiVersion.
func (m *Match) kind(trees [3]*yaml.Node) schema.Resource {
	apiVersion, kind := merge.ResultKind(trees)
	group, version := identity.Group(apiVersion), identity.Version(apiVersion)
	if group == "" && (kind == "" || kind == "Kustomization" || kind == "Component") && isKustomizationFile(m.Newest().File) {
		group, kind = "kustomize.config.k8s.io", "Kustomization"
	}
	known := m.schema.Resource(group, version, kind)
	known.NullIsValue = (m.mayHaveNull(identity.Upstream) || m.mayHaveNull(identity.Local)) && m.nullIsValue()
	return known
}
