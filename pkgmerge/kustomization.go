package pkgmerge

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// isKustomization reports whether a resource is a kustomization.yaml, which may lack its
// kind and its apiVersion.
func isKustomization(r *Resource) bool { return r.Meta.Kind == "" && isKustomizationFile(r.File) }

func isKustomizationFile(name string) bool {
	switch path.Base(name) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

// findPatches finds the files that a kustomization uses as patches, in any version of the
// package: in them a null says what kustomize is to remove, and is a value for the merge
// (rules/fields: null). A kustomization that cannot be read names none; that is told
// elsewhere.
func findPatches(packages [3]Package) map[string]bool {
	patches := map[string]bool{}
	for _, p := range packages {
		transformers := map[string]string{} // the directory of the kustomization, by what it lists
		for _, r := range p.Resources {
			if tree := kustomizationTree(r); tree != nil {
				root := path.Dir(r.File)
				addFiles(patches, root, patchesOf(tree))
				for _, listed := range yamlnode.Elements(yamlnode.Field(tree, "transformers")) {
					transformers[path.Join(root, listed.Value)] = root
				}
			}
		}
		for _, r := range p.Resources {
			root, found := transformers[r.File]
			if !found {
				root, found = transformers[path.Dir(r.File)]
			}
			if tree, err := r.Tree(); found && err == nil {
				addFiles(patches, root, transformerPatches(tree))
			}
		}
	}
	return patches
}

// kustomizationTree parses a kustomization, nil if r is none.
func kustomizationTree(r *Resource) *yaml.Node {
	if !isKustomizationFile(r.File) {
		return nil
	}
	tree, err := r.Tree()
	if err != nil {
		return nil
	}
	return tree
}

// patchesOf are the patches that a kustomization names.
func patchesOf(kustomization *yaml.Node) []*yaml.Node {
	files := yamlnode.Elements(yamlnode.Field(kustomization, "patchesStrategicMerge"))
	for _, field := range [2]string{"patches", "patchesJson6902"} {
		for _, patch := range yamlnode.Elements(yamlnode.Field(kustomization, field)) {
			files = append(files, patch, yamlnode.Field(patch, "path"))
		}
	}
	return files
}

// transformerPatches are the patches that the config of a patch transformer of kustomize names.
func transformerPatches(config *yaml.Node) []*yaml.Node {
	return slices.Concat(yamlnode.Elements(yamlnode.Field(config, "paths")), []*yaml.Node{yamlnode.Field(config, "path")})
}

// addFiles adds the files among names that are relative to a directory. A patch that stands
// in the kustomization itself is no file.
func addFiles(files map[string]bool, root string, names []*yaml.Node) {
	for _, n := range names {
		if name := yamlnode.Text(n); name != "" && !strings.Contains(name, "\n") {
			files[path.Join(root, name)] = true
		}
	}
}
