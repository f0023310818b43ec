package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
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

// stream is a package of one file of documents: stdin, or a pipe such as <(helm template …). It can be read once.
type stream struct {
	name  string    // stdin, or the path of a pipe
	stdin io.Reader // nil for a pipe
}

// isStream reports whether a file is a pipe or a device, which can be read once and has no size.
func isStream(info fs.FileInfo) bool {
	return info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice|fs.ModeSocket) != 0
}

// Read reads the stream to its end. It is an error if the stream has more than 256 MiB.
func (s stream) Read(ctx context.Context) (pkgmerge.Package, error) {
	data, err := s.bytes()
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("read %s: %w", s.name, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return newPackage(ctx, s.name)
	}
	return newPackage(ctx, s.name, pkgmerge.File{Name: "stdin.yaml", Mode: 0o644, Data: data})
}

func (s stream) bytes() ([]byte, error) {
	from := s.stdin
	if from == nil {
		pipe, err := os.Open(s.name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = pipe.Close() }() // only read
		from = pipe
	}
	return readAtMost(from, maxUnpacked)
}

// readAtMost reads to the end. It is an error if there are more bytes than a limit.
func readAtMost(from io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it has more than %d MiB", limit>>20)
	}
	return data, err
}

// checkStreams returns an error for a stream without a resource: the program that writes it failed, more likely than
// upstream deleted everything. Only a version of a file without resources, such as a values file, may be such a stream
// (rules/versions: sources).
func checkStreams(sources [3]Source, packages [3]pkgmerge.Package) error {
	isPlain := packages[identity.Local].IsStream && !slices.ContainsFunc(packages[:], hasResource)
	for side, from := range sources {
		if renamed, is := from.(named); is {
			from = renamed.Source
		}
		s, is := from.(stream)
		p := packages[side]
		if !is || hasResource(p) || isPlain && len(p.Files) > 0 {
			continue
		}
		fault := errors.New("it is empty")
		if len(p.Files) > 0 {
			if _, fault = p.OnlyResources(); fault == nil {
				fault = errors.New("it has no Kubernetes object")
			}
		}
		return fmt.Errorf("%s has no resources: %s: %w; see whether the program that writes it failed", identity.Side(side), s.name, fault)
	}
	return nil
}

// checkResources returns an error for an origin or upstream without a resource, where the other versions have some: it is
// another file or directory than the user means, such as the page of an error that was downloaded (rules/versions:
// sources). A directory that has a file of the other one may be a version, such as a chart.
func checkResources(sources [3]Source, packages [3]pkgmerge.Package) error {
	others := [2]identity.Side{identity.Origin: identity.Upstream, identity.Upstream: identity.Origin}
	for side, effect := range [2]string{identity.Origin: "every difference would be a conflict", identity.Upstream: "to take it for the new version would delete the package"} {
		p, other := packages[side], packages[others[side]]
		if len(p.Files) == 0 || hasResource(p) || !hasResource(other) || !hasResource(packages[identity.Local]) {
			continue
		}
		_, fault := p.OnlyResources()
		_, isFile := filePath(sources[side])
		switch isPart := fault != nil || sharesFile(p, other); { // an unreadable file may hold resources
		case isFile && bookkeeping.IsKustomization(p.Files[0].Name), !isFile && isPart:
			continue
		case fault == nil:
			fault = errors.New("it has no Kubernetes object")
		}
		reason := fault.Error()
		if isFile {
			reason = strings.TrimPrefix(reason, p.Files[0].Name+": ")
		}
		return fmt.Errorf("%s has no resources: %s: %s, and %s; see whether it is the right one", identity.Side(side), p.Source, reason, effect)
	}
	return nil
}

// sharesFile reports whether two packages have a file of one name.
func sharesFile(p, other pkgmerge.Package) bool {
	return slices.ContainsFunc(p.Files, func(f pkgmerge.File) bool {
		return slices.ContainsFunc(other.Files, func(o pkgmerge.File) bool { return o.Name == f.Name })
	})
}

// hasResource reports whether a package has a resource with a kind, other than an empty List.
func hasResource(p pkgmerge.Package) bool {
	return slices.ContainsFunc(p.Resources, func(r *pkgmerge.Resource) bool {
		if r.Meta.Kind != "List" {
			return r.Meta.Kind != ""
		}
		var list struct{ Items []any }
		text, err := r.YAML()
		return err != nil || yaml.Unmarshal(text, &list) != nil || len(list.Items) > 0
	})
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

// revision is a directory or a file at a revision of its repository, such as a branch, a tag or a commit. The path may
// be gone by now. The user's own git reads it; nothing is fetched (rules/versions: revisions).
type revision struct{ path, revision string }

// Read reads the revision.
func (r revision) Read(ctx context.Context) (pkgmerge.Package, error) {
	work, err := gitrepo.Git{}.Find(ctx, r.path)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	if work == nil {
		return pkgmerge.Package{}, fmt.Errorf("%s, so it has no revision %q%s", inNone(r.path), r.revision, bareHint(r.path))
	}
	version, err := work.Revision(ctx, r.revision)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return packageAt(ctx, r.path+"@"+r.revision, version)
}

// inNone says that a path is in no git repository, or that it is not there.
func inNone(name string) string {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return name + " is not there"
	}
	return name + " is in no git repository"
}

// bareHint returns the way to write a path in a bare repository, "" for another path.
func bareHint(name string) string {
	top, below := gitrepo.BareAbove(name)
	if top == "" {
		return ""
	}
	text := "file://" + filepath.ToSlash(top)
	if below != "." {
		text += "//" + filepath.ToSlash(below)
	}
	return "; in a bare repository it is " + text
}

// remote is a directory of a remote repository, as kpt writes it (https://host/repo.git/dir@v1.2), or kustomize
// (https://host/repo//dir?ref=v1.2). The user's own git fetches it into a cache (rules/versions: remote directories).
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
	files, err := file.WithoutIgnored(version.Files, version.Files)
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("read %s: %w", name, err)
	}
	p, err := newPackage(ctx, name, file.As[pkgmerge.File](files)...)
	for _, module := range version.Submodules {
		p.Skipped = append(p.Skipped, pkgmerge.SkippedFile{File: module, Reason: "it is a submodule"})
	}
	return p, err
}
