package krmfunction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/config"
	"github.com/resource-merge/resource-merge/internal/patchset"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/patch"
)

// patches are the list that comes out with patches for local's items (design 16): a file
// each, below the directory of the side that they apply to.
func (o output) patches(wanted config.Patches) ([]*resourcelist.Item, error) {
	from := wanted.Side()
	dir := path.Join(o.sides.dir[from], "patches")
	set, err := patchset.Make(o.merged, patchset.Options{From: from, Options: wanted.Options(), Taken: o.taken(dir), Annotated: true})
	if err != nil {
		return nil, err
	}
	files, made := newFilesOf(o.list, o.sides), []*resourcelist.Item(nil)
	for _, d := range set.Documents {
		text, err := patch.Patch{Node: d.Node}.YAML()
		if err != nil {
			return nil, err
		}
		it, err := files.item(text, dir, d.File)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.File, err)
		}
		made = append(made, it)
	}
	return o.instead(made)
}

// taken are the files that come out beside the patches, without their ending.
func (o output) taken(dir string) patch.FileNames {
	names := patch.FileNames{}
	for _, it := range o.sides.list {
		if o.keep && path.Dir(it.path) == dir && !slices.Contains(o.sides.items[identity.Local], it) {
			names[strings.TrimSuffix(path.Base(it.path), ".yaml")] = true
		}
	}
	return names
}

// unsaid are warnings of what differs and no patch says.
func (o output) unsaid(wanted config.Patches) (out framework.Results, err error) {
	left, err := patchset.Left(o.merged, wanted.Side())
	left = slices.DeleteFunc(left, o.isOwnKptfile)
	for _, c := range left {
		out = append(out, warning(c.File()+": it differs, and no patch says it: it has no name, or is about its package"))
	}
	return out, err
}
