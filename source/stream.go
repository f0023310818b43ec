package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// File is a file of the file system as a package of its own: YAML with any number
// of documents, JSON, or text. A link is followed: it is what the user named.
type File string

// Read reads the file.
func (f File) Read(ctx context.Context) (pkgmerge.Package, error) {
	info, err := os.Stat(string(f))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	if !info.Mode().IsRegular() {
		return pkgmerge.Package{}, fmt.Errorf("%s is no regular file", string(f))
	}
	data, err := os.ReadFile(string(f))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	return packageOf(ctx, string(f), pkgmerge.File{Name: filepath.Base(string(f)), Mode: mode, Data: data})
}

// Stream is a package that is read from a stream, such as stdin: one file of
// documents. It can be read once. A stream that says nothing has no files: it is more
// likely that what was to write it failed than that a package is to go.
type Stream struct {
	Reader io.Reader
}

// Read reads the stream to its end.
func (s Stream) Read(ctx context.Context) (pkgmerge.Package, error) {
	data, err := io.ReadAll(s.Reader)
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("read the stream: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return packageOf(ctx, "stdin")
	}
	return packageOf(ctx, "stdin", pkgmerge.File{Name: "stdin.yaml", Mode: 0o644, Data: data})
}

// Nothing is a version that has no files, as origin's where there is none.
type Nothing struct{}

// Read reads nothing.
func (Nothing) Read(ctx context.Context) (pkgmerge.Package, error) { return packageOf(ctx, "") }

// packageOf is the package of files that were read at a place.
func packageOf(ctx context.Context, place string, files ...pkgmerge.File) (pkgmerge.Package, error) {
	if err := ctx.Err(); err != nil {
		return pkgmerge.Package{}, err
	}
	p, err := pkgmerge.NewPackage(files)
	if err != nil {
		return p, fmt.Errorf("read %s: %w", place, err)
	}
	p.Source, p.IsStream = place, len(files) == 1
	return p, nil
}

// Revision is a directory, or a file, as it is at a revision of the repository that it
// lies in: a branch, a tag, a commit, or what else git takes for one. Path need not be
// there any more. The user's own git reads it; nothing is fetched (rules/versions:
// revisions).
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
// (https://host/repo.git/dir@v1.2), or kustomize (https://host/repo//dir?ref=v1.2). The
// user's own git fetches it, into a cache (rules/versions: remote directories).
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
	p, err := packageOf(ctx, place, file.As[pkgmerge.File](file.WithoutIgnored(version.Files, version.Files))...)
	for _, name := range version.Submodules {
		p.Skipped = append(p.Skipped, pkgmerge.SkippedFile{File: name, Reason: "it is a submodule"})
	}
	return p, err
}
