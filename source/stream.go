package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// File is a file of the file system as a package of its own: YAML with any number of documents, JSON, or
// text. A link is followed, because the user named it.
type File string

// Read reads the file.
func (f File) Read(ctx context.Context) (pkgmerge.Package, error) {
	info, err := os.Stat(string(f))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	if !info.Mode().IsRegular() {
		return pkgmerge.Package{}, fmt.Errorf("%s is not a regular file", string(f))
	}
	data, err := os.ReadFile(string(f))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return newPackage(ctx, string(f), pkgmerge.File{Name: filepath.Base(string(f)), Mode: fileMode(info), Data: data})
}

// stream is a package of one file of documents. It can be read once. An empty stream has no files: a
// writer that failed is more likely than a package to delete.
type stream struct{ reader io.Reader }

// Read reads the stream to its end.
func (s stream) Read(ctx context.Context) (pkgmerge.Package, error) {
	data, err := io.ReadAll(s.reader)
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("read the stream: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return newPackage(ctx, "stdin")
	}
	return newPackage(ctx, "stdin", pkgmerge.File{Name: "stdin.yaml", Mode: 0o644, Data: data})
}

// Nothing is a version without files, such as an unknown origin.
type Nothing struct{}

// Read reads nothing.
func (Nothing) Read(ctx context.Context) (pkgmerge.Package, error) { return newPackage(ctx, "") }

// newPackage returns a package of files that were read from name.
func newPackage(ctx context.Context, name string, files ...pkgmerge.File) (pkgmerge.Package, error) {
	if err := ctx.Err(); err != nil {
		return pkgmerge.Package{}, err
	}
	p, err := pkgmerge.NewPackage(files)
	if err != nil {
		return p, fmt.Errorf("read %s: %w", name, err)
	}
	p.Source, p.IsStream = name, len(files) == 1
	return p, nil
}

// revision is a directory or a file at a revision of its repository, such as a branch, a tag or a
// commit. The path may be gone by now. The user's own git reads it; nothing is fetched
// (rules/versions: revisions).
type revision struct{ path, revision string }

// Read reads the revision.
func (r revision) Read(ctx context.Context) (pkgmerge.Package, error) {
	work, err := gitrepo.Git{}.Find(ctx, r.path)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	if work == nil {
		return pkgmerge.Package{}, fmt.Errorf("%s is in no git repository, so it has no revision %q", r.path, r.revision)
	}
	version, err := work.Revision(ctx, r.revision)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return packageAt(ctx, r.path+"@"+r.revision, version)
}

// remote is a directory of a remote repository, as kpt writes it (https://host/repo.git/dir@v1.2), or
// kustomize (https://host/repo//dir?ref=v1.2). The user's own git fetches it into a cache
// (rules/versions: remote directories).
type remote string

// Read fetches the directory unless the cache has it, and reads it.
func (r remote) Read(ctx context.Context) (pkgmerge.Package, error) {
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

// packageAt returns the package of a version without the files that .krmignore names, and lists its
// submodules as skipped.
func packageAt(ctx context.Context, name string, version *gitrepo.Version) (pkgmerge.Package, error) {
	p, err := newPackage(ctx, name, file.As[pkgmerge.File](file.WithoutIgnored(version.Files, version.Files))...)
	for _, module := range version.Submodules {
		p.Skipped = append(p.Skipped, pkgmerge.SkippedFile{File: module, Reason: "it is a submodule"})
	}
	return p, err
}
