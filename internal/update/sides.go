package update

import (
	"context"
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/krmignore"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// MergeFunc merges the versions of a package.
type MergeFunc func(context.Context, [3]pkgmerge.Package, pkgmerge.Options) (*pkgmerge.Result, error)

// sides are the files of the three versions of a package.
type sides struct {
	origin, upstream, local files
}

// ignore leaves out of origin and upstream what a .krmignore of theirs names, and what
// one of local's does: that is no part of the copy, whatever lies there.
func (s *sides) ignore() {
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		*side = krmignore.Files(krmignore.Files(*side, *side), s.local)
	}
}

// merge merges the versions.
func (s *sides) merge(ctx context.Context, o pkgmerge.Options, do MergeFunc) (*pkgmerge.Result, error) {
	var packages [3]pkgmerge.Package
	for side, all := range [3]files{identity.Origin: s.origin, identity.Upstream: s.upstream, identity.Local: s.local} {
		var err error
		if packages[side], err = pkgmerge.NewPackage(all); err != nil {
			return nil, fmt.Errorf("%s: %w", identity.Side(side), err)
		}
	}
	if do == nil {
		do = pkgmerge.Merge
	}
	return do(ctx, packages, o)
}

// needKptfiles gives a Kptfile to a version that has none: a package needs none in
// its repository. It says nothing but what it is.
func (s *sides) needKptfiles(k *kptfile) {
	text := fmt.Sprintf("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: %q\n", k.name)
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		if side.find("Kptfile") == nil && (side != &s.origin || k.lock != nil) {
			*side = side.put(pkgmerge.File{Name: "Kptfile", Mode: 0o644, Data: []byte(text)})
		}
	}
}
