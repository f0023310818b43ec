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

// Drift is a field of the merged package that differs from upstream's (rules/reports: the ledger).
type Drift struct {
	File, Resource string
	// Path is "" for a resource that only one of the two has.
	Path string
	// Upstream and Local are the values on one line, cut so that the difference shows.
	Upstream, Local string
}

// Drift returns the differences between the merged package and upstream's, sorted by file, resource
// and path. An apply has none.
func (r *Report) Drift() ([]Drift, error) {
	if r.Steps != nil {
		return nil, nil
	}
	var out []Drift
	for _, it := range slices.Concat(r.Resources, r.absent) {
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
		if isNullOrAbsent(d.From) && isNullOrAbsent(d.To) {
			continue
		}
		show := showsValues(r.change, merge.Conflict{Path: d.Path})
		found := Drift{File: r.File, Resource: r.Subject, Path: visible(visiblePath(r.change, d.Path).String())}
		found.Upstream, found.Local = driftValue(d.From, d.To, show), driftValue(d.To, d.From, show)
		out = append(out, found)
	}
	return out, nil
}

// isNullOrAbsent reports whether a value is null or absent, which a cluster does not tell apart.
func isNullOrAbsent(n *yaml.Node) bool { return n == nil || n.ShortTag() == "!!null" }

// driftValue returns one of two differing values on one line, "" if it is absent.
func driftValue(n, other *yaml.Node, show bool) string {
	switch {
	case n == nil:
		return ""
	case !show:
		return hidden
	}
	return visible(excerptTo(n, other, maxDrift))
}

// fileDifference describes how a file without resources differs from upstream's: the number of
// lines that only one side has, or the mode; path is "" if one side lacks the file.
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
	upstream, local = countOwnLines(u, l)
	return "text", upstream, local, true
}

// countOwnLines returns the number of lines that only one of two files has, or the sizes of binary
// files.
func countOwnLines(a, b *pkgmerge.File) (ofA, ofB string) {
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
