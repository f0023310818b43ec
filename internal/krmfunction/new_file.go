package krmfunction

import (
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// newFiles makes items of files that no side has: of patches, and of an overlay.
type newFiles struct {
	list *resourcelist.List
	// legacy says that the input uses the old names of annotations.
	legacy bool
	// pkg is the package-path of the package that the list holds, "" if it tells none, and
	// indent how its sequences are indented.
	pkg, indent string
}

func newFilesOf(list *resourcelist.List, s sides) newFiles {
	f := newFiles{list: list, legacy: usesLegacyPaths(s.list), pkg: rootPackage(list.Items)}
	for _, it := range list.Items {
		if f.indent == "" {
			f.indent = it.Annotation(bookkeeping.SeqIndent)
		}
	}
	return f
}

// item is the item of a file with one document, whose text is given. A kustomization gets the
// name of its directory, for kustomize takes no item without a name.
func (f newFiles) item(text []byte, dir, name string) (*resourcelist.Item, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	n, file := resourcelist.NewItem(&document).Node, path.Join(dir, name)
	if yamlnode.Field(n, "metadata") == nil {
		n, text = named(n, dir), nil
	}
	if f.pkg != "" {
		n = annotate(n, bookkeeping.Package, f.pkg)
	}
	if f.legacy {
		n = annotate(annotate(n, bookkeeping.LegacyIndex, "0"), bookkeeping.LegacyPath, file)
	}
	n = annotate(annotate(n, bookkeeping.Index, "0"), bookkeeping.Path, file)
	if f.indent != "" {
		n = annotate(n, bookkeeping.SeqIndent, f.indent)
	}
	return f.list.NewDocument(n, text), nil
}

// named is a kustomization with the name of its directory, behind the kind.
func named(n *yaml.Node, dir string) *yaml.Node {
	name := "overlay"
	if dir != "" {
		name = path.Base(dir)
	}
	metadata, out := yamlnode.EmptyMap(), *n
	metadata.Content = []*yaml.Node{yamlnode.String("name"), yamlnode.String(name)}
	out.Content = slices.Insert(slices.Clone(n.Content), 4, yamlnode.String("metadata"), metadata)
	return &out
}
