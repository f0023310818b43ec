package overlay

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// withoutLists is a package with the items of Lists in their place, as kustomize reads them.
func withoutLists(p pkgmerge.Package) (pkgmerge.Package, error) {
	all, err := documentsOf(p)
	if err != nil {
		return p, err
	}
	files, found := slices.Clone(p.Files), false
	for i, f := range files {
		if !slices.ContainsFunc(all[f.Name], transform.IsList) {
			continue
		}
		var texts [][]byte
		for _, n := range all[f.Name] {
			items := []*yaml.Node{n}
			if transform.IsList(n) {
				items = yamlnode.Elements(yamlnode.Field(n, "items"))
			}
			for _, item := range items {
				text, err := encode(item)
				if err != nil {
					return p, err
				}
				texts = append(texts, text)
			}
		}
		found = true
		files[i].Data = bytes.Join(texts, []byte("---\n"))
	}
	if !found {
		return p, nil
	}
	out, err := pkgmerge.NewPackage(files)
	out.Skipped, out.Source, out.Dir = p.Skipped, p.Source, p.Dir
	return out, err
}
