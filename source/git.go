package source

import (
	"context"
	"fmt"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/krmignore"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Revision is a directory, or a file, as it is at a revision of the repository
// that it lies in: a branch, a tag, a commit, or what else git takes for one. Path
// need not be there any more. The user's own git reads it; nothing is fetched
// (design 17.1).
type Revision struct {
	Path, Revision string
}

// Read reads the revision.
func (r Revision) Read(ctx context.Context) (pkgmerge.Package, error) {
	work, err := gitrepo.Git{}.Find(ctx, r.Path)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	if work == nil {
		return pkgmerge.Package{}, fmt.Errorf("%s lies in no repository: it has no revision %q", r.Path, r.Revision)
	}
	version, err := work.Revision(ctx, r.Revision)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return packageAt(ctx, r.Path+"@"+r.Revision, version)
}

// Remote is a directory of a repository elsewhere, as kpt writes it
// (https://host/repo.git/dir@v1.2), or kustomize (https://host/repo//dir?ref=v1.2).
// The user's own git fetches it, into a cache (design 17.1).
type Remote string

// Read fetches what the cache does not have, and reads the directory.
func (r Remote) Read(ctx context.Context) (pkgmerge.Package, error) {
	remotes, err := gitrepo.Parse(string(r))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	version, err := gitrepo.Git{}.Fetch(ctx, remotes...)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return packageAt(ctx, version.String(), version)
}

// packageAt is the package of a version, .krmignore honoured. Its submodules are told as left out.
func packageAt(ctx context.Context, place string, version *gitrepo.Version) (pkgmerge.Package, error) {
	p, err := packageOf(ctx, place, krmignore.Files(version.Files, version.Files)...)
	for _, name := range version.Submodules {
		p.Skipped = append(p.Skipped, pkgmerge.SkippedFile{File: name, Reason: "it is a submodule"})
	}
	return p, err
}
