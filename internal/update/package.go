package update

import (
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Package is a package that was merged with its upstream.
type Package struct {
	// Dir is the package below the one that was updated, "" for that itself.
	Dir string
	// Origin and Upstream are the versions between which the package was updated.
	// Origin is nil if the Kptfile has no lock.
	Origin, Upstream *gitrepo.Version
	// Result is what became of the resources and files. Its files lack what was noted in
	// the Kptfile, and its names are below Dir.
	Result *pkgmerge.Result
}

// isWhereItWas reports whether upstream is the version that the package was made of.
func (p *Package) isWhereItWas() bool {
	o, u := p.Origin, p.Upstream
	return o.ID == u.ID && o.Repository == u.Repository && o.Directory == u.Directory
}
