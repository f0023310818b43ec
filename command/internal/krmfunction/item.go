package krmfunction

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// item is an item of the list with what the function needs to know of it.
type item struct {
	*pkgmerge.Resource
	in *resourcelist.Item
	// path is the item's file below the top of the package that the list holds,
	// "" if the item has no path.
	path string
	// base is what package-path adds to the front of the path annotation.
	base string
}

// readItems reads what the items say about themselves. An item with neither kind nor
// path, and a path that leads out of the package, are errors (rules/input: bad input).
func readItems(list []*resourcelist.Item) ([]*item, error) {
	items := make([]*item, 0, len(list))
	root := rootPackage(list)
	for _, in := range list {
		it := &item{in: in}
		file := in.Annotation(bookkeeping.Path)
		if file == "" {
			file = in.Annotation(bookkeeping.LegacyPath)
		}
		if err := config.CheckPath(file); err != nil {
			return nil, fmt.Errorf("the item in line %d: %w", in.Line, err)
		}
		if file == "" && identity.ReadMeta(in.Head()).Kind == "" {
			return nil, fmt.Errorf("the item in line %d has neither a kind nor a path", in.Line)
		}
		it.base = below(root, in.Annotation(bookkeeping.Package))
		if file != "" {
			it.path = path.Join(it.base, file)
		}
		it.Resource = pkgmerge.FromItem(it.path, readIndex(in), in)
		items = append(items, it)
	}
	return items, nil
}

func readIndex(in *resourcelist.Item) int {
	text := in.Annotation(bookkeeping.Index)
	if text == "" {
		text = in.Annotation(bookkeeping.LegacyIndex)
	}
	index, err := strconv.Atoi(text)
	if err != nil {
		return 0 // as kpt reads an index that is missing or no number
	}
	return index
}

// rootPackage is the shortest package-path of the list. Under `kpt fn render` paths are
// relative to each item's own package; what its package-path has beyond the root's goes
// in front (rules/function: sides).
func rootPackage(items []*resourcelist.Item) string {
	root, found := "", false
	for _, it := range items {
		if p := it.Annotation(bookkeeping.Package); p != "" && (!found || len(p) < len(root)) {
			root, found = p, true
		}
	}
	return root
}

func below(root, pkg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg, root), "/")
}

// unmarked takes the mark of its side off an item: a merged one is on none.
func unmarked(n *yaml.Node) *yaml.Node {
	return yamlnode.DropAnnotations(n, func(name string) bool { return name == bookkeeping.MergeSource })
}

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
		n = yamlnode.Annotate(n, bookkeeping.Package, f.pkg)
	}
	if f.legacy {
		n = yamlnode.Annotate(yamlnode.Annotate(n, bookkeeping.LegacyIndex, "0"), bookkeeping.LegacyPath, file)
	}
	n = yamlnode.Annotate(yamlnode.Annotate(n, bookkeeping.Index, "0"), bookkeeping.Path, file)
	if f.indent != "" {
		n = yamlnode.Annotate(n, bookkeeping.SeqIndent, f.indent)
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
