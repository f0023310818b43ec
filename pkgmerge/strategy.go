package pkgmerge

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// FileStrategy is a Strategy that has others decide, each about files of its own.
type FileStrategy interface {
	Strategy
	// StrategyOf is the strategy that decides about a file.
	StrategyOf(file string) Strategy
}

// Strategy decides what becomes of each resource (rules/strategies: the strategies).
type Strategy interface {
	// Name is what the function config and a Kptfile call the strategy.
	Name() string
	// Prepare decides what concerns several resources at once. Its outcomes, by
	// index of the matches, stand; the other resources are for Merge.
	Prepare(ctx context.Context, matches []*Match) (map[int]merge.Outcome, error)
	// Merge decides one resource. Calls for different matches may overlap.
	Merge(*Match) (merge.Outcome, error)
}

// take is the outcome that is a side's version as it stands: none, if the side
// has none.
func take(m *Match, side identity.Side) merge.Outcome {
	switch {
	case !m.Has(side):
		return merge.Outcome{Verdict: merge.Drop}
	case side == identity.Upstream:
		return merge.Outcome{Verdict: merge.TakeUpstream}
	}
	return merge.Outcome{Verdict: merge.TakeLocal}
}

// Strategies lists the strategies; the first is the usual one.
func Strategies() []Strategy {
	return []Strategy{ResourceMerge{}, FastForward{}, ForceDeleteReplace{}, CopyMerge{}}
}

// StrategyNamed is the strategy of that name. An error lists the names.
func StrategyNamed(name string) (Strategy, error) {
	var names []string
	for _, s := range Strategies() {
		if s.Name() == name {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, fmt.Errorf("%q is not allowed, allowed are %s", name, strings.Join(names, ", "))
}

// DefaultStrategy is the strategy that local's Kptfile asks for, else
// ResourceMerge.
func DefaultStrategy(local Package) (Strategy, error) {
	for _, r := range local.Resources {
		if !r.isKptfile() || path.Dir(r.File) != "." {
			continue
		}
		tree, err := r.Tree()
		if err != nil {
			return nil, err
		}
		name := yamlnode.Text(yamlnode.Lookup(tree, "upstream", "updateStrategy"))
		if name == "" {
			break
		}
		s, err := StrategyNamed(name)
		if err != nil {
			return nil, fmt.Errorf("%s: upstream.updateStrategy: %w", r, err)
		}
		return s, nil
	}
	return ResourceMerge{}, nil
}

// ResourceMerge merges field by field (rules/fields: whole values).
type ResourceMerge struct {
	// WholeImages says that a container image is one value, and not a name and a tag: so it
	// is where both sides are branches of one repository (rules/git: the commands).
	WholeImages bool
}

// Name is what the function config and a Kptfile call the strategy.
func (ResourceMerge) Name() string { return "resource-merge" }

// Prepare decides the subpackages that come, go or stay as one (rules/kptfiles:
// subpackages).
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
		return out, m.Versions[fault.Side].Located(fault)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	if m.noOrigin && !m.policy().Marks(nil) {
		out.Conflicts = nil
	}
	return out, nil
}

// Located returns the error of a version that cannot be merged, with its file and the line in it.
func (r *Resource) Located(fault *merge.Fault) error {
	if r.item.IsDocument() {
		line := r.item.Line + r.item.LineWithin(fault.Line) - 1
		return &unreadableError{resource: r, text: fmt.Sprintf("%s: line %d: %s", r.label(), line, fault.Reason)}
	}
	return fmt.Errorf("%s on the %s side: line %d of the item: %s", r, fault.Side, r.item.LineWithin(fault.Line), fault.Reason)
}

// keepsLocal reports whether the texts alone tell that local's version stays: upstream
// is as local is, or as origin was (rules/reading: skimming). A null that only local
// has is a deletion, to be carried out, and of a Kptfile some fields are decided by
// rules of their own.
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
	if group == "" && (kind == "" || kind == "Kustomization" || kind == "Component") && bookkeeping.IsKustomization(m.Newest().File) {
		group, kind = "kustomize.config.k8s.io", "Kustomization"
	}
	known := m.schema.Resource(group, version, kind)
	known.NullIsValue = (m.mayHaveNull(identity.Upstream) || m.mayHaveNull(identity.Local)) && m.nullIsValue()
	return known
}

// FastForward takes upstream's package if local made no changes of its own, and
// else fails with a list of what local changed. Comments count; the merge
// comment does not.
type FastForward struct{}

// Name is what the function config and a Kptfile call the strategy.
func (FastForward) Name() string { return "fast-forward" }

// Prepare finds the resources that local changed.
func (FastForward) Prepare(_ context.Context, matches []*Match) (map[int]merge.Outcome, error) {
	differs := make([]bool, len(matches))
	err := parallel.Each(len(matches), func(i int) (err error) {
		differs[i], err = matches[i].isCustomised()
		return err
	})
	if err != nil {
		return nil, err
	}
	var differing []string
	for i, m := range matches {
		if differs[i] {
			differing = append(differing, m.Newest().String())
		}
	}
	if len(differing) > 0 {
		return nil, &FastForwardError{what: "resource", Differing: differing}
	}
	return nil, nil
}

// FastForwardError is the error of a fast-forward that local's own changes forbid.
type FastForwardError struct {
	// Differing are the resources or files that local changed.
	Differing []string
	what      string
}

func (e *FastForwardError) Error() string {
	return fmt.Sprintf("cannot fast-forward: local differs from origin and from upstream in %s: %s",
		wording.Plural(len(e.Differing), e.what), strings.Join(e.Differing, "; "))
}

// Merge takes upstream's version.
func (FastForward) Merge(m *Match) (merge.Outcome, error) { return replaced(m) }

// isCustomised reports whether local differs from both origin and upstream.
func (m *Match) isCustomised() (bool, error) {
	if m.isOwnKptfile() || m.SameText(identity.Local, identity.Upstream) || m.SameText(identity.Local, identity.Origin) {
		return false, nil
	}
	trees, err := kptfileTrees(m)
	if err != nil || isInventory(trees[identity.Local]) {
		return false, err
	}
	l := trees[identity.Local]
	return !merge.Alike(l, trees[identity.Origin]) && !merge.Alike(l, trees[identity.Upstream]), nil
}

// ForceDeleteReplace takes upstream's package; what only local has goes.
type ForceDeleteReplace struct{}

// Name is what the function config and a Kptfile call the strategy.
func (ForceDeleteReplace) Name() string { return "force-delete-replace" }

// Prepare has nothing to decide.
func (ForceDeleteReplace) Prepare(context.Context, []*Match) (map[int]merge.Outcome, error) {
	return nil, nil
}

// Merge takes upstream's version.
func (ForceDeleteReplace) Merge(m *Match) (merge.Outcome, error) { return replaced(m) }

// CopyMerge takes upstream's version of every resource that upstream has; what
// only local has stays, and what upstream dropped since origin goes.
type CopyMerge struct{}

// Name is what the function config and a Kptfile call the strategy.
func (CopyMerge) Name() string { return "copy-merge" }

// Prepare has nothing to decide.
func (CopyMerge) Prepare(context.Context, []*Match) (map[int]merge.Outcome, error) { return nil, nil }

// Merge takes upstream's version, and local's of what only local has.
func (CopyMerge) Merge(m *Match) (merge.Outcome, error) {
	switch {
	case m.onlyLocal():
		return take(m, identity.Local), nil
	case m.isWithheld():
		trees, err := m.Trees()
		return m.withheld(trees), err
	}
	return replaced(m)
}

// replaced is upstream's version, or local's where that says the same in the same words, is an
// inventory template, or is the copy's own Kptfile. What a Kptfile says of the copy and not of the
// package stays local's (rules/kptfiles: Kptfiles).
func replaced(m *Match) (merge.Outcome, error) {
	if m.isOwnKptfile() || m.Has(identity.Local) && m.SameText(identity.Upstream, identity.Local) {
		return take(m, identity.Local), nil
	}
	trees, err := kptfileTrees(m)
	if err != nil {
		return merge.Outcome{}, err
	}
	l, u := trees[identity.Local], trees[identity.Upstream]
	if l != nil && (isInventory(l) || merge.Alike(l, u)) {
		return take(m, identity.Local), nil
	}
	if u == nil {
		return take(m, identity.Upstream), nil
	}
	return replacement(m, u)
}

// replacement is upstream's version as it stands, or as kptfileTrees made it.
func replacement(m *Match, u *yaml.Node) (merge.Outcome, error) {
	trees, err := m.Trees()
	if err != nil || u == trees[identity.Upstream] {
		return take(m, identity.Upstream), err
	}
	return merge.Outcome{Verdict: merge.MergeParts, Node: u}, nil
}

// isInventory reports whether a resource is an inventory template of kpt's. It is
// local's own: never deleted, never overwritten (rules/resources: inventory templates).
func isInventory(tree *yaml.Node) bool {
	labels := yamlnode.Lookup(tree, "metadata", "labels")
	return yamlnode.Text(yamlnode.Field(tree, "kind")) == "ConfigMap" && yamlnode.Field(labels, "cli-utils.sigs.k8s.io/inventory-id") != nil
}

// isWithheld reports whether the resource is new upstream, and local has several
// of its name in that file already: one more would be added on every run.
func (m *Match) isWithheld() bool { return m.how.Ambiguous && !m.Has(identity.Origin) }

// withheld is the outcome of such a resource (rules/identity: by identity): local's
// stay, and that upstream's does not come is a conflict.
func (m *Match) withheld(trees [3]*yaml.Node) merge.Outcome {
	return merge.Outcome{
		Verdict:   merge.Drop,
		Conflicts: []merge.Conflict{{Kind: merge.LocalDeleted, Values: trees, Chosen: identity.Local}},
	}
}
