// Package ways merges three versions of a package by each way out that treats a conflict in its
// own way, for package mergecheck to look at: a change that one side made is in the result, lies
// between markers, or is named in a conflict (docs/testing.md).
package ways

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
)

// Mark and Driver are the ways that put collisions between markers. Under Fail a collision fails the run; its result is
// local's there. Newest takes the newer of two versions.
const (
	Mark   = "mark"
	Driver = "driver"
	Fail   = "fail"
	Newest = "newest"
)

// LeftToGit is the reason why a file that the driver leaves to git cannot be checked.
const LeftToGit = "left to git"

// Names are the ways: the policies, markers, and git's merge driver.
func Names() []string { return []string{"upstream", "local", "union", Mark, Driver} }

// All are the ways, and the other policies, which take their results from one of them.
func All() []string { return append(Names(), Fail, Newest) }

// Merged is a merge that was made, or why none was.
type Merged struct {
	// Package has the versions, the result, and what was reported.
	mergecheck.Package
	// Conflicts is the number of conflicts left where collisions are marked.
	Conflicts int
	// Named is the number of conflicts that are marked or told, whichever way.
	Named int
	// Warnings are the warnings about resources, each with its kind and name before it.
	Warnings []string
	// ByLines says that git's driver took git's merge of the lines.
	ByLines bool
	// Unchecked is the reason why the merge cannot be checked, "" if it can.
	Unchecked string
}

// Objections are the faults of a merge.
func (m Merged) Objections() []string {
	if m.Unchecked != "" {
		return nil
	}
	return mergecheck.CheckPackage(m.Package)
}

// Merge merges the versions that a package has, and knows the CRDs among them.
// Git's driver merges each file by itself that both sides have: there is a result for each.
func Merge(ctx context.Context, way string, p mergecheck.Package) ([]Merged, error) {
	if way != Driver {
		m, err := merged(ctx, way, p)
		return []Merged{m}, err
	}
	var out []Merged
	for _, name := range slices.Sorted(maps.Keys(p.Local)) {
		if _, both := p.Upstream[name]; !both {
			continue
		}
		m, err := Drive(ctx, name, p)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// schemaOf is the schema of Kubernetes and of the package's CRDs.
func schemaOf(p mergecheck.Package) *schema.Schema {
	var crds []*yaml.Node
	for _, files := range [3]map[string]string{p.Origin, p.Upstream, p.Local} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !strings.Contains(files[name], "kind: CustomResourceDefinition\n") {
				continue
			}
			decoder := yaml.NewDecoder(strings.NewReader(files[name]))
			for {
				var n yaml.Node
				if decoder.Decode(&n) != nil {
					break // the end, or text
				}
				if len(n.Content) > 0 && yamlnode.Text(yamlnode.Field(n.Content[0], "kind")) == "CustomResourceDefinition" {
					crds = append(crds, n.Content[0])
				}
			}
		}
	}
	return schema.New(nil, schema.Trees(crds...), true)
}

// Drive merges one file of a package by git's driver.
func Drive(ctx context.Context, name string, p mergecheck.Package) (Merged, error) {
	one := func(files map[string]string) map[string]string {
		if text, found := files[name]; found {
			return map[string]string{name: text}
		}
		return nil
	}
	p.Origin, p.Upstream, p.Local = one(p.Origin), one(p.Upstream), one(p.Local)
	p.Schema = schemaOf(p)
	v := command.FileVersions{Path: name, NoBase: p.Origin == nil}
	v.Texts = [3][]byte{command.Ours: []byte(p.Local[name]), command.Base: []byte(p.Origin[name]), command.Theirs: []byte(p.Upstream[name])}
	m, err := command.MergeFile(ctx, v, command.MarkerFormat{Style: command.MergeStyle, Labels: [3]string{"ours", "base", "theirs"}})
	if err != nil {
		return Merged{}, fmt.Errorf("%s: %w", name, err)
	}
	p.Result = map[string]string{name: string(m.Text)}
	p.Marks, p.Git = true, true
	out := Merged{Package: p, Conflicts: m.Conflicts, Named: m.Conflicts, ByLines: m.Method == command.ByLines}
	switch {
	case m.Reason != "":
		out.Unchecked = LeftToGit
	case p.Renames():
		out.Unchecked = "driver: a side has a document under another name"
	}
	return out, nil
}

// merged merges a package by its fields, as the commands do.
func merged(ctx context.Context, way string, p mergecheck.Package) (Merged, error) {
	p.Schema = schemaOf(p)
	packages, err := packagesOf(p)
	if err != nil {
		return Merged{}, err
	}
	o := pkgmerge.Options{Adopt: []pkgmerge.Adoption{}, MergeComments: pkgmerge.CommentRenamed, NoOrigin: len(p.Origin) == 0}
	out := Merged{Package: p}
	var r *pkgmerge.Result
	if way == Mark {
		m, err := command.MergeMarked(ctx, packages, o, pkgmerge.Rules{})
		if err != nil {
			return Merged{Package: p, Unchecked: "fails"}, nil
		}
		r, out.Conflicts, out.Marks = m.Result, m.Conflicts, true
	} else {
		o.Policy = pkgmerge.Prefer(map[string]merge.Preference{
			"upstream": merge.PreferUpstream, "local": merge.PreferLocal, "union": merge.PreferUnion, Fail: merge.PreferFail, Newest: merge.PreferNewest,
		}[way])
		if r, err = pkgmerge.Merge(ctx, packages, o); err != nil {
			return Merged{Package: p, Unchecked: "fails"}, nil
		}
	}
	files, err := r.Files()
	if err != nil {
		return out, err
	}
	out.Result = map[string]string{}
	for _, f := range files {
		out.Result[f.Name] = string(f.Data)
	}
	out.Told = told(r)
	for _, n := range r.Notices {
		if n.Warning && n.Change != nil {
			id := n.Change.Newest().ID()
			out.Warnings = append(out.Warnings, id.Kind+" "+id.Name+": "+n.Text)
		}
	}
	for _, c := range r.Changes {
		out.Named += len(c.Conflicts)
	}
	for _, c := range r.FileChanges {
		out.Named += len(c.Conflicts)
	}
	return out, nil
}

// packagesOf are the versions as the merge reads them.
func packagesOf(p mergecheck.Package) (out [3]pkgmerge.Package, err error) {
	for side, files := range [3]map[string]string{p.Origin, p.Upstream, p.Local} {
		var list []pkgmerge.File
		for _, name := range slices.Sorted(maps.Keys(files)) {
			list = append(list, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(files[name])})
		}
		if out[side], err = pkgmerge.NewPackage(list); err != nil {
			return out, err
		}
	}
	return out, nil
}

// told returns the conflicts and infos that a result reports.
func told(r *pkgmerge.Result) (out []mergecheck.Told) {
	for _, c := range r.Changes {
		for _, side := range identity.Sides() {
			if !c.Has(side) {
				continue
			}
			meta := c.Versions[side].Meta
			add := func(path *merge.Path, t mergecheck.Told) {
				t.Kind, t.Namespace, t.Name, t.File, t.Path = meta.Kind, meta.Namespace, meta.Name, c.File(), path.String()
				out = append(out, t)
			}
			for _, conflict := range c.Conflicts {
				add(conflict.Path, mergecheck.Told{Conflict: string(conflict.Kind), Comment: conflict.Kind == merge.CommentChanged})
				if conflict.Part == merge.LinesPart && conflict.Kind != merge.CommentChanged {
					add(conflict.Path, mergecheck.Told{Conflict: string(conflict.Kind), Lines: true})
				}
			}
			for _, remark := range c.Remarks { // each element of a merged list counts as the changes of both sides say
				add(remark.Path, mergecheck.Told{Lines: remark.Kind == merge.LinesMerged, Elements: remark.Kind == merge.ElementsMerged, Joined: remark.Kind == merge.MapsJoined})
			}
		}
	}
	for _, c := range r.FileChanges {
		if len(c.Conflicts) > 0 {
			out = append(out, mergecheck.Told{File: c.Name, Conflict: string(c.Conflicts[0].Kind)})
		}
	}
	return out
}
