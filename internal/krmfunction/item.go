package krmfunction

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/config"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
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

// readItems reads what the items say about themselves. An item with neither
// kind nor path, and a path that leads out of the package, are errors
// (design 8).
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

// rootPackage is the shortest package-path of the list. Under `kpt fn render`
// paths are relative to each item's own package; what its package-path has
// beyond the root's goes in front (design 1.1).
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
