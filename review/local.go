package review

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// findPackages returns the bumps of packages that record the version of their upstream, in a Kptfile or a .resource-merge.yaml, and over which
// kustomizations lie.
func findPackages(old, now kustomize.Files, names []string) (found []*Bump) {
	graph := kustomize.Graph{Files: now}
	for _, name := range names {
		before, after := lockOf(old, name), lockOf(now, name)
		if before == "" || after == "" || before == after {
			continue
		}
		dir := path.Dir(name)
		roots := slices.DeleteFunc(graph.Roots(dir), func(root string) bool { return root == dir })
		if len(roots) == 0 {
			continue
		}
		b := &Bump{Name: "package " + dir, File: name, Old: before, New: after}
		b.compare = func(from Upstream) error {
			return b.judge(from, func(on *kustomize.Builder) error {
				on.Local = func(at string) (kustomize.Files, bool) {
					return []kustomize.Files{old, now}[on.Side], at == dir || strings.HasPrefix(at, dir+"/")
				}
				return on.Directories(now, roots)
			})
		}
		found = append(found, b)
	}
	return found
}

// lockOf returns the version of upstream that a file of a package records, "" if it records none.
func lockOf(in kustomize.Files, name string) string {
	if base := path.Base(name); base != "Kptfile" && base != ".resource-merge.yaml" || !in.Has(name) {
		return ""
	}
	all, err := kustomize.Parse(in, name)
	if err != nil || len(all) != 1 {
		return ""
	}
	lock := yamlnode.Lookup(all[0], "upstreamLock", "git")
	return cmp.Or(yamlnode.TextAt(lock, "ref"), yamlnode.TextAt(lock, "commit"), yamlnode.TextAt(all[0], "upstream", "version"))
}

// At returns files in which the only release, or the remote bases, of a manifest have a version.
func At(in kustomize.Files, name, version string) (kustomize.Files, error) {
	for file := range in.IDs {
		if !in.Has(name) && (name == "" || strings.HasPrefix(file, name+"/")) { // "" is the directory of the repository
			return in, fmt.Errorf("%s: it is a directory; name the file in it that has the version", cmp.Or(name, "."))
		}
	}
	if !in.Has(name) {
		return in, fmt.Errorf("%s: there is no such file", name)
	}
	found, notes, err := releases(in, []string{name})
	if err != nil || len(notes) > 0 {
		return in, cmp.Or(err, fmt.Errorf("%s", strings.Join(notes, "; ")))
	}
	found = slices.DeleteFunc(found, func(r *values.Release) bool { return r.File != name })
	var changes []values.Replacement
	data, err := in.Read(name)
	if err != nil {
		return in, err
	}
	dependencies, others := dependenciesOf(data), versionsOf(in, name)
	switch {
	case len(found) == 1:
		if changes, err = found[0].Replacements(found[0].Values(), version); err != nil {
			return in, err
		}
	case len(found) == 0 && path.Base(name) == "Chart.yaml" && len(dependencies) == 1 && yamlnode.Field(dependencies[0], "version") != nil:
		text := layerText{name: name, data: data}
		text.rename(yamlnode.Field(dependencies[0], "version"), 0, version)
		changes = text.changes
	case len(found) == 0 && kustomize.FileOf(in, path.Dir(name)) == name:
		k, err := kustomize.Read(in, path.Dir(name))
		if err != nil {
			return in, err
		}
		text := layerText{name: name, data: data}
		for _, n := range remotes(k) {
			if to := withVersion(n.Value, version); to != n.Value {
				text.rename(n, 0, to)
			}
		}
		if changes = text.changes; len(changes) == 0 {
			return in, fmt.Errorf("%s: it has no base with another version; name the file that has the version", name)
		}
	case len(found) == 0 && len(others) == 1:
		text := layerText{name: name, data: data}
		text.rename(others[0], 0, version)
		changes = text.changes
	case len(found)+len(others) == 0:
		return in, fmt.Errorf("%s: it has no release of a chart, no base and no single dependency; name the file that has the version", name)
	default:
		return in, fmt.Errorf("%s: it has %d releases, and a version is for one; change the version in the file, and review without a range", name, len(found)+len(others))
	}
	out := kustomize.Files{IDs: map[string]string{}, Read: func(name string) ([]byte, error) {
		data, err := in.Read(name)
		if err != nil {
			return nil, err
		}
		f, err := values.Replace(pkgmerge.File{Name: name, Data: data}, changes)
		return f.Data, err
	}}
	for file, id := range in.IDs {
		if out.IDs[file] = id; slices.ContainsFunc(changes, func(c values.Replacement) bool { return c.File == file }) {
			out.IDs[file] = id + " at " + version
		}
	}
	return out, nil
}
