package source

import (
	"context"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/directory"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Dir is a directory of the file system, read as kpt reads a package (design 1.1):
// its Kptfiles and all files that end with .yaml or .yml, with those of its
// subdirectories, but for what .krmignore names. A relative Dir is relative to the
// process. A file that cannot be read as resources is among the package's Skipped,
// unless it is a Kptfile: then it is an error, and so is a symbolic link that leads
// out of the directory.
type Dir string

// Read reads the directory.
func (d Dir) Read(ctx context.Context) (pkgmerge.Package, error) {
	var p pkgmerge.Package
	if err := ctx.Err(); err != nil {
		return p, err
	}
	documents, skipped, err := directory.Read(string(d))
	if err != nil {
		return p, err
	}
	p.Skipped, p.Source = skipped, string(d)
	for _, document := range documents {
		r, err := resource(document)
		if err != nil {
			return p, err
		}
		p.Resources = append(p.Resources, r)
	}
	return p, nil
}

// resource is the resource of a document that has its place in annotations.
func resource(document *yaml.Node) (*pkgmerge.Resource, error) {
	n := document
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	place := yamlnode.Field(yamlnode.Field(n, "metadata"), "annotations")
	file := yamlnode.Text(yamlnode.Field(place, bookkeeping.Path))
	index, err := strconv.Atoi(yamlnode.Text(yamlnode.Field(place, bookkeeping.Index)))
	if err != nil {
		return nil, err
	}
	dropPlace(n, "metadata", "annotations")
	return pkgmerge.NewResource(file, index, document), nil
}

// dropPlace takes off the annotations at path that the reader made, and the maps
// that it made for them: what stood in the file has a line.
func dropPlace(n *yaml.Node, path ...string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		drop := false
		switch {
		case len(path) == 0:
			drop = bookkeeping.IsPlace(key.Value)
		case key.Value == path[0]:
			dropPlace(value, path[1:]...)
			drop = key.Line == 0 && len(value.Content) == 0
		}
		if drop {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			i -= 2
		}
	}
}
