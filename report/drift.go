package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// maxDrift is the longest value in a ledger, in bytes.
const maxDrift = 96

// Drift is a field in which the merged package still differs from upstream's: what the
// fork costs (rules/reports: the ledger).
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

// fileDifference says in what a file without resources differs from upstream's: how many
// lines each has that the other has not, or what else; path is "" if one alone is there.
func fileDifference(f *pkgmerge.FileChange) (path, upstream, local string, differs bool) {
	u, l := f.Versions[identity.Upstream], f.Result
	switch {
	case u == nil && l == nil || u != nil && l != nil && u.Mode == l.Mode && bytes.Equal(u.Data, l.Data):
		return "", "", "", false
	case u == nil:
		return "", "", hidden, true
	case l == nil:
		return "", hidden, "", true
	case u.Mode != l.Mode:
		return "mode", fmt.Sprintf("%o", u.Mode), fmt.Sprintf("%o", l.Mode), true
	}
	upstream, local = ownLines(u, l)
	return "text", upstream, local, true
}

// ownLines says of two files how many lines each alone has.
func ownLines(a, b *pkgmerge.File) (ofA, ofB string) {
	if bytes.IndexByte(a.Data, 0) >= 0 || bytes.IndexByte(b.Data, 0) >= 0 {
		return wording.Plural(len(a.Data), "byte"), wording.Plural(len(b.Data), "byte")
	}
	x, y := strings.SplitAfter(string(a.Data), "\n"), strings.SplitAfter(string(b.Data), "\n")
	common := 0
	for _, at := range align.Lines(x, y) {
		if at >= 0 {
			common++
		}
	}
	return wording.Plural(len(x)-common, "line"), wording.Plural(len(y)-common, "line")
}
