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

// Strategy decides the outcome of each resource (rules/strategies: the strategies).
type Strategy interface {
	// Name returns the strategy's name in the function config and in a Kptfile.
	Name() string
	// Prepare decides resources that depend on each other. Its outcomes, by index of the matches, are
	// final; Merge decides the other resources.
	Prepare(ctx context.Context, matches []*Match) (map[int]merge.Outcome, error)
	// Merge decides one resource. Calls for different matches may overlap.
	Merge(*Match) (merge.Outcome, error)
}

// fileStrategy is a Strategy that delegates to others, each for its own files.
type fileStrategy interface {
	Strategy
	// StrategyOf returns the strategy that decides about a file.
	StrategyOf(file string) Strategy
}

// strategyOf returns the strategy that decides about a file.
func (v *versions) strategyOf(file string) Strategy {
	if by, several := v.strategy.(fileStrategy); several {
		return by.StrategyOf(file)
	}
	return v.strategy
}

// mergesFields reports whether a file is merged field by field.
func (v *versions) mergesFields(file string) bool {
	_, is := v.strategyOf(file).(ResourceMerge)
	return is
}

// take returns the outcome that takes a side's unmodified version, or drops the resource if the side has none.
func take(m *Match, side identity.Side) merge.Outcome {
	switch {
	case !m.Has(side):
		return merge.Outcome{Verdict: merge.Drop}
	case side == identity.Upstream:
		return merge.Outcome{Verdict: merge.TakeUpstream}
	}
	return merge.Outcome{Verdict: merge.TakeLocal}
}

// Strategies lists the strategies; the first is the default.
//
//   - resource-merge merges field by field.
//   - fast-forward takes upstream's package, and fails if local made changes of its own.
//   - force-delete-replace takes upstream's package and deletes the rest.
//   - copy-merge takes upstream's version of each resource that upstream has, deletes the ones that
//     upstream deleted since origin, and keeps the ones that only local has.
func Strategies() []Strategy {
	return []Strategy{
		ResourceMerge{}, wholeVersions{name: "fast-forward", ifUnchanged: true},
		wholeVersions{name: replaceAll}, wholeVersions{name: "copy-merge", keepsAdded: true},
	}
}

// replaceAll is the name of the strategy that needs no origin.
const replaceAll = "force-delete-replace"

// StrategyNamed returns the strategy with a name. An error lists the names.
func StrategyNamed(name string) (Strategy, error) {
	var names []string
	for _, s := range Strategies() {
		if s.Name() == name {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, fmt.Errorf("%q is not allowed, %s", name, wording.Allowed(name, names))
}

// DefaultStrategy returns the strategy that local's Kptfile asks for, else ResourceMerge.
func DefaultStrategy(local Package) (Strategy, error) {
	for _, r := range local.Resources {
		if !r.isKptfile() || path.Dir(r.File) != "." {
			continue
		}
		tree, err := r.Tree()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", identity.Local, err)
		}
		name := yamlnode.Text(yamlnode.Lookup(tree, "upstream", "updateStrategy"))
		if name == "" {
			break
		}
		s, err := StrategyNamed(name)
		if err != nil {
			err = fmt.Errorf("%s: upstream.updateStrategy: %w", r, err)
		}
		return s, err
	}
	return ResourceMerge{}, nil
}

// ResourceMerge merges field by field (rules/fields: whole values).
type ResourceMerge struct{}

// Name returns the strategy's name in the function config and in a Kptfile.
func (ResourceMerge) Name() string { return "resource-merge" }

// Prepare decides the subpackages that come, go or stay as a whole (rules/kptfiles: subpackages).
func (ResourceMerge) Prepare(_ context.Context, matches []*Match) (map[int]merge.Outcome, error) {
	if len(matches) == 0 || matches[0].noOrigin {
		return nil, nil
	}
	err := parallel.Each(len(matches), func(i int) (err error) {
		if matches[i].isPackaged() {
			_, err = matches[i].Trees()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return decideSubpackages(matches)
}

// Merge merges one resource.
func (s ResourceMerge) Merge(m *Match) (merge.Outcome, error) {
	if s.keepsLocal(m) {
		return take(m, identity.Local), nil
	}
	trees, err := kptfileTrees(m)
	if err != nil {
		return merge.Outcome{}, err
	}
	if m.isWithheld() {
		return m.withheld(trees), nil
	}
	if m.staysAway {
		return merge.Outcome{Verdict: merge.Drop, Remarks: []merge.Remark{{Kind: merge.LocalRemoved, Values: trees}}}, nil
	}
	if isInventory(trees[identity.Local]) {
		return take(m, identity.Local), nil
	}
	return s.mergeTrees(m, trees)
}

// mergeTrees merges the fields of one resource.
func (s ResourceMerge) mergeTrees(m *Match, trees [3]*yaml.Node) (out merge.Outcome, err error) {
	if m.collated == nil {
		rules := merge.ThreeWay{
			WholeImages: m.profile == Branch, RemovalsCollide: m.removalsCollide, LocalFirst: m.profile == Branch, NoOrigin: m.noOrigin,
			Moves: m.moves, Renamed: m.renamed, IgnoreSetters: m.ignoreSetters,
			Text: func(texts [3]string, prefer merge.Preference) (string, []merge.Conflict, bool) {
				return s.mergeText(m, texts, prefer)
			},
		}
		if m.collated, err = merge.Collate(rules, trees, m.kind(trees)); err != nil {
			return merge.Outcome{}, fmt.Errorf("%s: %w", m.Newest(), err)
		}
	}
	if out, err = m.collated.Decide(m.policy()); err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	if m.noOrigin && !m.removalsCollide {
		for i, c := range out.Conflicts {
			if c.Values[identity.Origin] == nil && c.Kind != merge.CommentChanged {
				out.Conflicts[i].Kind = merge.NoOrigin
			}
		}
	}
	return out, nil
}

// located returns the error of a strategy about a match: with the side, the file and the line, if a version cannot be
// merged.
func (m *Match) located(err error) error {
	fault := (*merge.Fault)(nil)
	if !errors.As(err, &fault) || !m.Has(fault.Side) {
		return err
	}
	if r := m.Versions[fault.Side]; !r.item.IsDocument() {
		return fmt.Errorf("%s on the %s side: line %d of the item: %s", r, fault.Side, r.item.LineWithin(fault.Line), fault.Reason)
	}
	return fmt.Errorf("%s: %w", fault.Side, m.Versions[fault.Side].located(fault))
}

// located returns the fault of a document with the line in its file.
func (r *Resource) located(fault *merge.Fault) error {
	return fmt.Errorf("%s: line %d: %s", r.label(), r.item.Line+r.item.LineWithin(fault.Line)-1, fault.Reason)
}

// keepsLocal reports whether the texts alone show that local's version stays: upstream equals local
// or origin (rules/reading: skimming). Some fields of a Kptfile have rules of their own.
func (ResourceMerge) keepsLocal(m *Match) bool {
	if !m.Has(identity.Local) || !m.Has(identity.Origin) || m.Newest().isKptfile() {
		return false
	}
	return m.sameText(identity.Upstream, identity.Local) ||
		m.sameText(identity.Origin, identity.Upstream)
}

// kind returns the schema of a resource's kind. A kustomization.yaml may lack its kind and apiVersion. A null of local's stays
// where upstream changed nothing of the resource (rules/fields: null).
func (m *Match) kind(trees [3]*yaml.Node) schema.Resource {
	apiVersion, kind := merge.ResultKind(trees)
	group, version := identity.Group(apiVersion), identity.Version(apiVersion)
	if group == "" && (kind == "" || kind == "Kustomization" || kind == "Component") && bookkeeping.IsKustomization(m.Newest().File) {
		group, kind = "kustomize.config.k8s.io", "Kustomization"
	}
	known := m.schema.Resource(group, version, kind)
	known.NullIsValue = (m.mayHaveNull(identity.Upstream) || m.mayHaveNull(identity.Local)) &&
		(m.nullIsValue() || merge.Same(trees[identity.Origin], trees[identity.Upstream]))
	return known
}

// wholeVersions is a strategy that takes whole versions of resources: upstream's. Comments count as
// changes; merge comments do not.
type wholeVersions struct {
	name string
	// ifUnchanged fails the merge if local changed anything.
	ifUnchanged bool
	// keepsAdded keeps the resources that only local has.
	keepsAdded bool
}

// Name returns the strategy's name in the function config and in a Kptfile.
func (s wholeVersions) Name() string { return s.name }

// Prepare finds the resources that local changed, if they fail the merge.
func (s wholeVersions) Prepare(_ context.Context, matches []*Match) (map[int]merge.Outcome, error) {
	if !s.ifUnchanged {
		return nil, nil
	}
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
	// Differing lists the resources or files that local changed.
	Differing []string
	what      string
}

func (e *FastForwardError) Error() string {
	return fmt.Sprintf("cannot fast-forward: your copy differs from origin and from upstream in %s: %s",
		wording.Plural(len(e.Differing), e.what), strings.Join(e.Differing, "; "))
}

// isCustomised reports whether local differs from both origin and upstream.
func (m *Match) isCustomised() (bool, error) {
	if m.ignored || m.isOwnKptfile() || m.sameText(identity.Local, identity.Upstream) || m.sameText(identity.Local, identity.Origin) {
		return false, nil
	}
	trees, err := kptfileTrees(m)
	if err != nil || isInventory(trees[identity.Local]) {
		return false, err
	}
	l := trees[identity.Local]
	return !merge.Alike(l, trees[identity.Origin]) && !merge.Alike(l, trees[identity.Upstream]), nil
}

// Merge takes upstream's version, or local's if that has the same content and comments, is an inventory template, or is
// the copy's own Kptfile. The fields of a Kptfile that belong to the copy stay local's (rules/kptfiles: Kptfiles).
func (s wholeVersions) Merge(m *Match) (merge.Outcome, error) {
	if s.keepsLocal(m) {
		return take(m, identity.Local), nil
	}
	if s.keepsAdded && m.isWithheld() {
		trees, err := m.Trees()
		return m.withheld(trees), err
	}
	trees, err := kptfileTrees(m)
	if err != nil {
		return merge.Outcome{}, err
	}
	l, u := trees[identity.Local], trees[identity.Upstream]
	if l != nil && (isInventory(l) || merge.Alike(l, u)) {
		return take(m, identity.Local), nil
	}
	if unmodified, err := m.Trees(); err != nil || u == unmodified[identity.Upstream] {
		return take(m, identity.Upstream), err
	}
	return merge.Outcome{Verdict: merge.MergeParts, Node: u}, nil
}

// keepsLocal reports whether the texts alone show that local's version stays.
func (s wholeVersions) keepsLocal(m *Match) bool {
	return s.keepsAdded && m.onlyLocal() || m.ignored || m.isOwnKptfile() || m.Has(identity.Local) && m.sameText(identity.Upstream, identity.Local)
}

// isInventory reports whether a resource is an inventory template of kpt. It belongs to local: it is
// never deleted and never overwritten (rules/resources: inventory templates).
func isInventory(tree *yaml.Node) bool {
	labels := yamlnode.Lookup(tree, "metadata", "labels")
	return yamlnode.Text(yamlnode.Field(tree, "kind")) == "ConfigMap" && yamlnode.Field(labels, "cli-utils.sigs.k8s.io/inventory-id") != nil
}

// isWithheld reports whether the resource is new upstream, and local already has several of its name, in that file or where
// a build joins them: then each run would add another one.
func (m *Match) isWithheld() bool { return m.how.Ambiguous && !m.Has(identity.Origin) }

// withheld returns the outcome of such a resource (rules/identity: by identity): local's stay, and
// the missing addition is a conflict.
func (m *Match) withheld(trees [3]*yaml.Node) merge.Outcome {
	return merge.Outcome{
		Verdict:   merge.Drop,
		Conflicts: []merge.Conflict{{Kind: merge.LocalDeleted, Values: trees, Chosen: identity.Local}},
	}
}
