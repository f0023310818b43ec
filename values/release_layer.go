package values

import (
	"cmp"
	"slices"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// NewRelease returns a release whose values are files of their own, in helm's order. name names it, and manifest is the file with the
// version.
func NewRelease(name, manifest string, files []pkgmerge.File) *Release {
	r := &Release{Name: name, File: manifest}
	for _, f := range files {
		r.values = append(r.values, &part{file: f.Name, end: len(f.Data), text: f.Data})
	}
	return r
}

// Patch returns the release that a patch of a HelmRelease has values for, or a version. n is the patch, with the lines and columns that it
// has in the file.
func Patch(f pkgmerge.File, n *yamlnodes.Node) *Release {
	m := manifests{files: map[string][]byte{f.Name: f.Data}}
	r := m.fluxRelease(manifestObject{f.Name, n})
	r.File = f.Name
	return r
}

// Over returns a release after a patch of its HelmRelease, the receiver, as kustomize merges maps: the values of the patch are over the
// others, and what the patch does not say is the release's.
func (r *Release) Over(base *Release) *Release {
	out := *base
	out.values = slices.Concat(base.values, r.values)
	out.Unread, out.Missing = slices.Concat(base.Unread, r.Unread), slices.Concat(base.Missing, r.Missing)
	out.Chart, out.Repository = cmp.Or(r.Chart, base.Chart), cmp.Or(r.Repository, base.Repository)
	if r.version != nil {
		out.Version, out.version, out.isTag = r.Version, r.version, r.isTag
	}
	return &out
}

// With returns a chart with subcharts that its directory charts lacks.
func (c *Chart) With(subcharts ...*Chart) *Chart {
	out := *c
	out.subcharts = slices.Concat(c.subcharts, subcharts)
	return &out
}
