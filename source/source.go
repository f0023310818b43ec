// Package source reads the versions of a package that are to be merged.
package source

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/krmignore"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Source is where a version of a package comes from. Resources that are in memory
// need no Source: see pkgmerge.NewResource.
type Source interface {
	// Read returns the package, whose resources have no annotations but their own.
	Read(context.Context) (pkgmerge.Package, error)
}

// Three reads the three versions of a package. What local's .krmignore names is no part
// of the copy, so no version has it (design 17.2). The error says which version could not
// be read.
func Three(ctx context.Context, origin, upstream, local Source) (packages [3]pkgmerge.Package, err error) {
	for side, from := range [3]Source{identity.Origin: origin, identity.Upstream: upstream, identity.Local: local} {
		if dir, is := from.(Dir); is { // most files are as origin has them
			packages[side], err = dir.read(ctx, packages[identity.Origin])
		} else {
			packages[side], err = from.Read(ctx)
		}
		if err != nil {
			return packages, fmt.Errorf("%s: %w", identity.Side(side), err)
		}
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if err := ignore(&packages[side], packages[identity.Local]); err != nil {
			return packages, fmt.Errorf("%s: %w", side, err)
		}
	}
	return packages, nil
}

// ignore leaves out of a version what local's .krmignore names.
func ignore(version *pkgmerge.Package, local pkgmerge.Package) error {
	if !slices.ContainsFunc(local.Files, func(f pkgmerge.File) bool { return path.Base(f.Name) == krmignore.Name }) {
		return nil
	}
	rest := krmignore.Files(version.Files, local.Files)
	if len(rest) == len(version.Files) {
		return nil
	}
	p, err := pkgmerge.NewVersion(rest, *version)
	p.Source = version.Source
	*version = p
	return err
}
