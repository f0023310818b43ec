package values

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// Inherit compares what the values of the release's base are for the base and for the release. A line of the base is edited only if the edit is
// right for both, and is not in kept for either. What both comparisons found in the base's values, and the new defaults and failures that both
// have, are then those of the base alone.
func (r *Release) Inherit(own, base *Result, kept map[*Finding]bool) {
	partOf, twins := map[string]*part{}, map[string]*Finding{}
	key := func(p *part, f *Finding) string { return fmt.Sprintf("%p %d %s", p, f.Line, joined(f.Path)) }
	for i, p := range r.Base.values {
		partOf[r.Base.nameOf(i)] = p
	}
	for _, f := range base.Findings {
		twins[key(partOf[f.File], f)] = f
	}
	clear(partOf)
	for i, p := range r.values {
		partOf[r.nameOf(i)] = p
	}
	own.Findings = slices.DeleteFunc(own.Findings, func(f *Finding) bool {
		twin := twins[key(partOf[f.File], f)]
		switch {
		case twin == nil:
			return false
		case kept[f]:
			kept[twin] = true
		}
		isSame := f.Class == twin.Class && slices.Equal(f.NewPath, twin.NewPath)
		if !isSame && f.line != nil {
			f.line.fixed = true
			f.Note = strings.TrimPrefix(f.Note+"; for "+r.Name, "; ")
		}
		if !isSame && f.line != nil && f.OverriddenBy == "" && twin.isEdited() {
			twin.line.fixed = true
			twin.Note = strings.TrimPrefix(twin.Note+fmt.Sprintf("; for %s it is %s, so it stays", r.Name, strings.ReplaceAll(string(f.Class), "-", " ")), "; ")
		}
		return isSame
	})
	own.Unread = slices.DeleteFunc(own.Unread, func(text string) bool { return slices.Contains(base.Unread, text) })
	own.Failures = slices.DeleteFunc(own.Failures, func(f Failure) bool {
		return slices.ContainsFunc(base.Failures, func(b Failure) bool { return b.Template == f.Template && b.Line == f.Line && b.Message == f.Message })
	})
}

// With returns a chart with subcharts that its directory charts lacks.
func (c *Chart) With(subcharts ...*Chart) *Chart {
	out := *c
	out.subcharts = slices.Concat(c.subcharts, subcharts)
	return &out
}
