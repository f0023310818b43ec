package pkgmerge

import (
	"context"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

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

// replaced is upstream's version, or local's where that says the same in the
// same words, is an inventory template, or is the copy's own Kptfile. What a Kptfile says of the copy and
// not of the package stays local's (design 7).
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
