package krmfunction

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/report"
)

// base is the base of an overlay.
type base struct {
	// side is upstream, or origin where the list has no upstream.
	side identity.Side
	// resources is the entry for the base in the overlay's resources.
	resources string
	// inPackage says that the base is a directory of the package, and stays there.
	inPackage bool
}

// overlayBase finds the base of an overlay: the directory of upstream, else of origin, unless
// the config names another (rules/overlay: the output overlay).
func (s sides) overlayBase(settings config.Settings) (base, error) {
	b := base{side: identity.Upstream, resources: settings.Overlay.Base}
	if at := settings.Sources.Upstream; len(s.items[identity.Upstream]) == 0 && at.Path == "" && at.Dir == "" {
		b.side = identity.Origin
	}
	for _, side := range [2]identity.Side{b.side, identity.Origin} {
		if len(s.items[side]) == 0 {
			return b, s.missing(side, settings.Sources, "")
		}
	}
	way, err := filepath.Rel("/"+s.dir[identity.Local], "/"+s.dir[b.side])
	if err != nil {
		return b, err
	}
	way = filepath.ToSlash(way)
	switch {
	case b.resources != "":
		b.inPackage = s.claimed[b.side] && path.Clean(b.resources) == way
	case !s.claimed[b.side]:
		return b, fmt.Errorf("functionConfig: overlay.base [overlay-base]: not given, and %s is not a directory of the package", b.side)
	case way == ".":
		return b, fmt.Errorf("functionConfig: sources.local.path: the overlay would lie in its own base, %s's directory; give local one of its own", b.side)
	default:
		b.resources, b.inPackage = way, true
	}
	return b, nil
}

// overlaid makes an overlay of the sides and returns the items with the overlay in place of
// local's, and the results (rules/overlay: the output overlay).
func overlaid(list *resourcelist.List, s sides, settings config.Settings, progress Progress) ([]*resourcelist.Item, []*report.Result, error) {
	packages := s.packages()
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return nil, nil, err
	}
	over, err := s.overlayBase(settings)
	if err != nil {
		return nil, nil, err
	}
	if over.side == identity.Origin {
		packages[identity.Upstream] = packages[identity.Origin]
	}
	options.Progress = progress
	made, err := overlay.Make(context.Background(), packages, overlay.Options{Resources: over.resources, Inline: true, Merge: options})
	if err != nil {
		return nil, nil, err
	}
	keep := settings.Keeps() || over.inPackage && settings.Sources.Keep == nil
	first := idle(settings.Idle(made.Merged))
	if made.Base != nil {
		first = append(first, over.completionNotice(s, keep))
	}
	items, err := over.items(list, s, made, keep)
	if err != nil {
		return nil, nil, err
	}
	return items, report.OverlayResults(made, over.resources, over.side == identity.Upstream, first), nil
}

// items returns the overlay's files, and the items that come out beside them.
func (b base) items(list *resourcelist.List, s sides, made *overlay.Overlay, keep bool) ([]*resourcelist.Item, error) {
	files, out := newFilesOf(list, s), []*resourcelist.Item(nil)
	for _, f := range made.Files {
		it, err := files.item(f.Data, s.dir[identity.Local], f.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out = append(out, it)
	}
	if made.Base != nil && b.inPackage && keep {
		it, err := files.item(made.Base, s.dir[b.side], "kustomization.yaml")
		if err != nil {
			return nil, err
		}
		out = append(out, it)
	}
	return newOutput(list, s, keep, made.Merged).replaceLocal(out)
}

// completionNotice says that the base lacks a kustomization.yaml. In the package it gets one.
func (b base) completionNotice(s sides, keep bool) *report.Result {
	if !b.inPackage || !keep {
		return &report.Result{Severity: report.SeverityInfo, Message: wording.Cut(b.resources, wording.ShortValue) + " needs a kustomization.yaml: the given directory has none"}
	}
	file := path.Join(s.dir[b.side], "kustomization.yaml")
	return &report.Result{Severity: report.SeverityInfo, Message: wording.Cut(file, wording.ShortValue) + ": the base needs one, and gets one that lists its files", File: &report.ResultFile{Path: file}}
}

// patches are the list that comes out with patches for local's items (rules/patches: the
// output patches): a file each, below the directory of the side that they apply to.
func (o output) patches(wanted config.Patches) ([]*resourcelist.Item, error) {
	from := wanted.Side()
	dir := path.Join(o.sides.dir[from], "patches")
	patches, err := patch.Package(o.merged, patch.PackageOptions{From: from, Options: wanted.Options(), Taken: o.takenNames(dir), Matched: o.applies, Annotated: true})
	if err != nil {
		return nil, err
	}
	files, made := newFilesOf(o.list, o.sides), []*resourcelist.Item(nil)
	for _, f := range patches {
		it, err := files.item(f.Data, dir, f.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		made = append(made, it)
	}
	return o.replaceLocal(made)
}

// takenNames returns the names of the files that come out beside the patches, without their endings.
func (o output) takenNames(dir string) patch.FileNames {
	names := patch.FileNames{}
	for _, it := range o.sides.list {
		if o.keep && path.Dir(it.path) == dir && !slices.Contains(o.sides.items[identity.Local], it) {
			names[strings.TrimSuffix(path.Base(it.path), ".yaml")] = true
		}
	}
	return names
}

// unpatched returns warnings about the differences that no patch can express.
func (o output) unpatched(wanted config.Patches) (out []*report.Result, err error) {
	left, err := patch.Unaddressed(o.merged, wanted.Side())
	left = slices.DeleteFunc(left, o.isOwnKptfile)
	for _, c := range left {
		out = append(out, warning(c.File()+": it differs, and no patch has the difference: it has no name, or is about its package"))
	}
	return out, err
}
