package pkgmerge

import (
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// findPatches finds the files that a kustomization uses as patches, in any version of the package. In
// them a null deletes a field in kustomize, and is a value in the merge (rules/fields: null).
func findPatches(packages [3]Package) map[string]bool {
	patches := map[string]bool{}
	for _, p := range packages {
		transformers := map[string]string{} // the directory of the kustomization of each listed file
		for _, r := range p.Resources {
			if tree := kustomizationTree(r); tree != nil {
				root := path.Dir(r.File)
				addFiles(patches, root, patchesOf(tree))
				for _, listed := range yamlnode.Elements(yamlnode.Field(tree, "transformers")) {
					transformers[path.Join(root, listed.Value)] = root
				}
			}
		}
		addTransformerPatches(patches, p.Resources, transformers)
	}
	return patches
}

// addTransformerPatches adds the files that the configs of patch transformers name. transformers has the
// directory of the kustomization of each listed file.
func addTransformerPatches(patches map[string]bool, resources []*Resource, transformers map[string]string) {
	for _, r := range resources {
		root, found := transformers[r.File]
		if !found {
			root, found = transformers[path.Dir(r.File)]
		}
		if tree, err := r.Tree(); found && err == nil {
			addFiles(patches, root, append(slices.Clone(yamlnode.Elements(yamlnode.Field(tree, "paths"))), yamlnode.Field(tree, "path")))
		}
	}
}

// builtApart returns a function that reports whether no build joins a file of upstream's with one of local's: both are patches,
// or each lies below a kustomization of its own (rules/identity: by identity).
func (v *versions) builtApart() func(upstream, local string) bool {
	kustomizations := sync.OnceValue(func() (all [3]roots) { // few merges need it
		for side, p := range v.packages {
			all[side] = roots{}
			for _, r := range p.Resources {
				if bookkeeping.IsKustomization(r.File) {
					all[side][path.Dir(r.File)] = true
				}
			}
		}
		return all
	})
	return func(upstream, local string) bool {
		u, l := kustomizations()[identity.Upstream].of(upstream), kustomizations()[identity.Local].of(local)
		return u != "" && l != "" && u != l || upstream != local && v.patches()[upstream] && v.patches()[local]
	}
}

// kustomizationTree parses a kustomization, nil if r is none.
func kustomizationTree(r *Resource) *yaml.Node {
	if !bookkeeping.IsKustomization(r.File) {
		return nil
	}
	tree, err := r.Tree()
	if err != nil {
		return nil
	}
	return tree
}

// patchesOf returns the patches that a kustomization names.
func patchesOf(kustomization *yaml.Node) []*yaml.Node {
	files := yamlnode.Elements(yamlnode.Field(kustomization, "patchesStrategicMerge"))
	for _, field := range [2]string{"patches", "patchesJson6902"} {
		for _, patch := range yamlnode.Elements(yamlnode.Field(kustomization, field)) {
			files = append(files, patch, yamlnode.Field(patch, "path"))
		}
	}
	return files
}

// addFiles adds the files with names relative to a directory. An inline patch is not a file.
func addFiles(files map[string]bool, root string, names []*yaml.Node) {
	for _, n := range names {
		if name := yamlnode.Text(n); name != "" && !strings.Contains(name, "\n") {
			files[path.Join(root, name)] = true
		}
	}
}

// nameFields returns the fields in which a kustomization names files and directories, also in elements of lists.
func nameFields() [][]string {
	var out [][]string
	for _, field := range strings.Fields(`resources bases components crds configurations generators transformers validators
		patchesStrategicMerge patches patches.path patchesJson6902.path replacements.path openapi.path
		configMapGenerator.files configMapGenerator.envs configMapGenerator.env
		secretGenerator.files secretGenerator.envs secretGenerator.env
		helmCharts.valuesFile helmCharts.additionalValuesFiles helmChartInflationGenerator.values`) {
		out = append(out, strings.Split(field, "."))
	}
	return out
}

// replaceNames returns the tree with other names in a field: change returns the replacements of a name. A name in a
// list can become several; the list keeps one of each.
func replaceNames(tree *yaml.Node, field []string, change func(*yaml.Node) []*yaml.Node) *yaml.Node {
	switch n := yamlnode.Resolve(tree); {
	case n.Kind == yaml.SequenceNode:
		if list := replaceInList(n, field, change); list != n {
			return list
		}
	case n.Kind == yaml.MappingNode && len(field) > 0:
		if v := yamlnode.Field(n, field[0]); v != nil {
			if changed := replaceNames(v, field[1:], change); changed != v {
				return yamlnode.WithField(n, field[0], changed)
			}
		}
	case n.Kind == yaml.ScalarNode && len(field) == 0 && !strings.Contains(n.Value, "\n"):
		if to := change(n); len(to) == 1 && to[0] != n {
			return to[0]
		}
	}
	return tree
}

// replaceInList is replaceNames for a list.
func replaceInList(list *yaml.Node, field []string, change func(*yaml.Node) []*yaml.Node) *yaml.Node {
	out, has := *list, map[string]bool{}
	out.Content = nil
	for _, e := range list.Content {
		has[yamlnode.Resolve(e).Value] = true
	}
	for _, e := range list.Content {
		n := yamlnode.Resolve(e)
		if n.Kind != yaml.ScalarNode || len(field) > 0 || strings.Contains(n.Value, "\n") {
			changed := replaceNames(e, field, change)
			equal := func(other *yaml.Node) bool { return (&merge.Comparison{From: other, To: changed}).Equal() }
			if changed == e || !slices.ContainsFunc(list.Content, equal) {
				out.Content = append(out.Content, changed)
			}
			continue
		}
		for _, to := range change(n) {
			switch {
			case to == n:
				out.Content = append(out.Content, e)
			case !has[to.Value]:
				has[to.Value] = true
				out.Content = append(out.Content, to)
			}
		}
	}
	if slices.Equal(out.Content, list.Content) {
		return list
	}
	return &out
}

// joinField returns the path of a field, such as "patches.path".
func joinField(field []string) string { return strings.Join(field, ".") }

// splitKey splits an entry of a field into its key in a ConfigMap or Secret, with the `=` behind it, if it has a key,
// and the file.
func splitKey(field []string, entry string) (key, file string) {
	if at := strings.Index(entry, "="); at >= 0 && field[len(field)-1] == "files" {
		return entry[:at+1], entry[at+1:]
	}
	return "", entry
}

// fileName is a name of a file or a directory in a kustomization.
type fileName struct {
	field, entry string // for example "patches.path", and the text there
	name, at     string // the name in the entry, and the file below the top of the package
}

// namesIn returns the files and directories that a kustomization names in any field.
func namesIn(r *Resource) (out []fileName) {
	tree, err := r.Tree()
	if err != nil {
		return nil
	}
	for _, field := range nameFields() {
		replaceNames(tree, field, func(n *yaml.Node) []*yaml.Node {
			if _, name := splitKey(field, n.Value); name != "" {
				out = append(out, fileName{joinField(field), n.Value, name, resolved(r.File, name)})
			}
			return []*yaml.Node{n}
		})
	}
	return out
}

// missingFiles warns of files that the kustomizations of the result name and the package lacks, because of this merge
// (rules/placement: kustomizations): it took the file away, or brought the name of a file that a side has. A name without a file
// in local, such as one of a secret that git ignores, was so before.
func (a *assembly) missingFiles(r *Result) []Notice {
	has := r.fileNames()
	had := sync.OnceValue(func() (had [3]map[string]bool) { // few merges need it
		for side := range had {
			had[side] = a.fileNames(identity.Side(side))
		}
		return had
	})
	var out []Notice
	for _, c := range r.Merged {
		if !bookkeeping.IsKustomization(c.Result.File) {
			continue
		}
		var names []string
		written := sync.OnceValue(c.namesOfSides)
		for _, named := range namesIn(c.Result) {
			if isInside(named.at, named.name) && !has[named.at] && c.losesFile(named, written(), had()) {
				names = append(names, named.entry+" in "+named.field)
			}
		}
		if names != nil {
			out = append(out, Notice{Warning: true, Change: c, Text: "it names " + strings.Join(names, ", ") + ", which the package lacks"})
		}
	}
	return out
}

// namesOfSides returns the names of files in a kustomization's versions, by their field and entry.
func (c *Change) namesOfSides() (written [3]map[[2]string]fileName) {
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		written[side] = map[[2]string]fileName{}
		if r := c.Versions[side]; r != nil {
			for _, n := range namesIn(r) {
				written[side][[2]string{n.field, n.entry}] = n
			}
		}
	}
	return written
}

// losesFile reports whether the named file, which the result lacks, is one that local had under this name or, if local
// does not name it, that any side had. written has the names of the sides.
func (c *Change) losesFile(named fileName, written [3]map[[2]string]fileName, had [3]map[string]bool) bool {
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		n, found := written[side][[2]string{named.field, named.entry}]
		if !found {
			continue
		}
		if had[side][n.at] || had[side][resolved(c.merger.ownFile(side, c.Versions[side].File), named.name)] {
			return true
		}
		if side == identity.Local {
			return false
		}
	}
	return had[identity.Origin][named.at] || had[identity.Upstream][named.at] || had[identity.Local][named.at]
}

// fileNames returns the files and directories of the result.
func (r *Result) fileNames() map[string]bool {
	has := map[string]bool{}
	for _, f := range r.files {
		addDirectories(has, f.Name)
	}
	for _, c := range r.Merged {
		addDirectories(has, c.Result.File)
	}
	return has
}

// fileNames returns the files and directories of a side, also under the names that they have in the result.
func (p *plan) fileNames(side identity.Side) map[string]bool {
	has := map[string]bool{}
	add := func(file string) {
		addDirectories(has, file)
		addDirectories(has, p.ownFile(side, file))
	}
	for _, f := range p.packages[side].Files {
		add(f.Name)
	}
	for _, r := range p.packages[side].Resources {
		add(r.File)
	}
	return has
}

// isInside reports whether a kustomization names a file or directory in the package, and not a URL.
func isInside(at, name string) bool {
	host, _, deep := strings.Cut(name, "/")
	remote := strings.Contains(name, "://") || strings.Contains(name, "?") || strings.HasPrefix(name, "git@") ||
		deep && strings.Trim(host, ".") != "" && strings.Contains(host, ".")
	return !remote && at != "." && at != ".." && !strings.HasPrefix(at, "../") && !path.IsAbs(name)
}
