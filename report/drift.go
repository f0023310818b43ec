package report

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// maxDrift is the longest value of a difference, in bytes.
const maxDrift = 96

// drift is a field of the merged package that differs from upstream's (rules/reports: what differs from upstream).
type drift struct {
	// path is "" for a resource that only one of the two has.
	path string
	// upstream and local are the values on one line, cut so that the difference shows.
	upstream, local string
}

// drift returns the differences between the merged resource and upstream's, none if both are absent.
func (r *Resource) drift() ([]drift, error) {
	var found drift
	if r.file != nil {
		var differs bool
		if found.path, found.upstream, found.local, differs = fileDifference(r.file); differs {
			return []drift{found}, nil
		}
		return nil, nil
	}
	differences, err := r.change.Differences(identity.Upstream)
	var out []drift
	for _, d := range differences {
		if isNullOrAbsent(d.From) && isNullOrAbsent(d.To) {
			continue
		}
		found.path, found.upstream, found.local = showDifference(r.change, d)
		out = append(out, found)
	}
	return out, err
}

func showDifference(c *pkgmerge.Change, d merge.Comparison) (path, from, to string) {
	show := showsValues(c, merge.Conflict{Path: d.Path})
	return visible(visiblePath(c, d.Path).String()), driftValue(d.From, d.To, show), driftValue(d.To, d.From, show)
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

// countOwnLines returns the number of lines that only one of two files has, or the sizes of binary files.
func countOwnLines(a, b *pkgmerge.File) (ofA, ofB string) {
	if bytes.IndexByte(a.Data, 0) >= 0 || bytes.IndexByte(b.Data, 0) >= 0 {
		return wording.Plural(len(a.Data), "byte"), wording.Plural(len(b.Data), "byte")
	}
	x, y := strings.SplitAfter(string(a.Data), "\n"), strings.SplitAfter(string(b.Data), "\n")
	common := align.Count(align.Lines(x, y))
	return wording.Plural(len(x)-common, "line"), wording.Plural(len(y)-common, "line")
}
