package report

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// maxDrift is the longest value in a ledger, in bytes.
const maxDrift = 96

// Drift is a field in which the merged package still differs from upstream's: what
// the fork costs (design 19).
type Drift struct {
	File, Resource string
	// Path is "" for a resource that one of the two alone has.
	Path string
	// Upstream and Local are the values on one line, cut so that the difference shows.
	Upstream, Local string
}

// Drift lists what of the merged package differs from upstream's, sorted by file,
// resource and path. An apply has none: what only the cluster has is no fork.
func (r *Report) Drift() ([]Drift, error) {
	if r.Steps != nil {
		return nil, nil
	}
	var out []Drift
	for _, it := range slices.Concat(r.Resources, r.away) {
		found, err := it.drift()
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortStableFunc(out, func(a, b Drift) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// drift is that of one resource.
func (r *Resource) drift() ([]Drift, error) {
	if r.file != nil {
		if path, upstream, local, differs := fileDifference(r.file); differs {
			return []Drift{{r.File, r.Subject, path, upstream, local}}, nil
		}
		return nil, nil
	}
	differences, err := r.change.Differences(identity.Upstream)
	if err != nil {
		return nil, err
	}
	var out []Drift
	for _, d := range differences {
		if isNothing(d.From) && isNothing(d.To) {
			continue
		}
		show := showsValues(r.change, merge.Conflict{Path: d.Path})
		found := Drift{File: r.File, Resource: r.Subject, Path: visible(shownPath(r.change, d.Path).String())}
		found.Upstream, found.Local = driftValue(d.From, d.To, show), driftValue(d.To, d.From, show)
		out = append(out, found)
	}
	return out, nil
}

// isNothing reports whether a value is absent or null: a cluster makes no difference
// between these.
func isNothing(n *yaml.Node) bool { return n == nil || n.ShortTag() == "!!null" }

// driftValue is one of two values that differ, "" where it is absent.
func driftValue(n, other *yaml.Node, show bool) string {
	switch {
	case n == nil:
		return ""
	case !show:
		return hidden
	}
	return visible(excerptTo(n, other, maxDrift))
}
