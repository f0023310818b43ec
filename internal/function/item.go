package function

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// item is an item of the list with what the function needs to know of it.
type item struct {
	*resourcelist.Item
	meta identity.Meta
	// path is the item's file below the top of the package that the list holds,
	// "" if the item has no path.
	path string
	// base is what package-path adds to the front of the path annotation.
	base string
	// rel is path below the directory of the item's side.
	rel string
	// pkg is the directory below the side's that the nearest Kptfile lies in.
	pkg   string
	index int
	// clusterScoped says that resources of the kind are in no namespace.
	clusterScoped bool
}

// describe names the item in errors: its identity and its file, else its line.
func (it *item) describe() string {
	id := it.entry().Own()
	switch {
	case it.path == "":
		return fmt.Sprintf("%s (line %d)", id, it.Line)
	case it.meta.Naming == identity.ByPath:
		return it.path
	}
	return fmt.Sprintf("%s in %s", id, it.path)
}

func (it *item) entry() identity.Entry {
	return identity.Entry{
		Meta: it.meta, Path: it.rel, Package: it.pkg,
		Identifier: it.Annotation(upstreamIdentifier), ClusterScoped: it.clusterScoped,
	}
}

// isKptfile says whether the item describes a package: a resource of that kind
// in a file of that name, if the file is known (DESIGN 7).
func (it *item) isKptfile() bool {
	return it.meta.Kind == "Kptfile" && identity.Group(it.meta.APIVersion) == "kpt.dev" &&
		(it.path == "" || path.Base(it.path) == "Kptfile")
}

func (it *item) isCRD() bool {
	return it.meta.Kind == "CustomResourceDefinition" && identity.Group(it.meta.APIVersion) == "apiextensions.k8s.io"
}

// readItems reads what the items say about themselves. An item with neither
// kind nor path, and a path that leads out of the package, are errors
// (DESIGN 8).
func readItems(list []*resourcelist.Item) ([]*item, error) {
	items := make([]*item, 0, len(list))
	root := rootPackage(list)
	for _, in := range list {
		it := &item{Item: in, meta: identity.ReadMeta(in.Head())}
		file := in.Annotation(pathAnnotation)
		if file == "" {
			file = in.Annotation(legacyPath)
		}
		if err := checkRelative(file); err != nil {
			return nil, fmt.Errorf("the item in line %d: %w", in.Line, err)
		}
		if file == "" && it.meta.Kind == "" {
			return nil, fmt.Errorf("the item in line %d has neither a kind nor a path", in.Line)
		}
		it.base = below(root, in.Annotation(packageAnnotation))
		if file != "" {
			it.path = path.Join(it.base, file)
		}
		it.index = readIndex(in)
		items = append(items, it)
	}
	return items, nil
}

func readIndex(in *resourcelist.Item) int {
	text := in.Annotation(indexAnnotation)
	if text == "" {
		text = in.Annotation(legacyIndex)
	}
	index, err := strconv.Atoi(text)
	if err != nil {
		return 0 // as kpt reads an index that is missing or no number
	}
	return index
}

// rootPackage is the shortest package-path of the list. Under `kpt fn render`
// paths are relative to each item's own package; what its package-path has
// beyond the root's goes in front (DESIGN 1.1).
func rootPackage(items []*resourcelist.Item) string {
	root, found := "", false
	for _, it := range items {
		if p := it.Annotation(packageAnnotation); p != "" && (!found || len(p) < len(root)) {
			root, found = p, true
		}
	}
	return root
}

func below(root, pkg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg, root), "/")
}

// maxPath is the longest path that Linux can open.
const maxPath = 4096

// checkRelative finds a path that is absolute or leads out of the package, or
// that is longer than a path can be.
func checkRelative(p string) error {
	if len(p) > maxPath {
		return fmt.Errorf("path %q has %d bytes, more than %d", cut(p, shortValue), len(p), maxPath)
	}
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return fmt.Errorf("path %q leads out of the package, want one relative to it", p)
	}
	return nil
}

// cleanPath writes a directory as "" for the package itself, else without
// leading "./" and trailing "/".
func cleanPath(p string) string {
	clean := path.Clean(p)
	if clean == "." {
		return ""
	}
	return clean
}
