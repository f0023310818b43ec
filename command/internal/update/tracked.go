package update

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/render"
	"github.com/resource-merge/resource-merge/source"
)

// Tracked is a copy whose .resource-merge.yaml names its upstream (rules/update: the upstream in the config).
type Tracked struct {
	// Dir is the directory of the copy.
	Dir string
	config.Upstream
}

// ReadTracked reads the upstream in the config of a directory. It returns nil if there is none, or if the
// Kptfile has one, which goes first.
func ReadTracked(dir string) (*Tracked, error) {
	text, err := file.ReadBeside(filepath.Join(dir, file.Config))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u, err := config.ReadUpstream(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, file.Config), err)
	}
	if u == nil {
		return nil, nil
	}
	if has, err := hasKptUpstream(dir); has || err != nil {
		return nil, err
	}
	return &Tracked{Dir: dir, Upstream: *u}, nil
}

// hasKptUpstream reports whether the Kptfile of a directory names an upstream, or is not valid.
func hasKptUpstream(dir string) (bool, error) {
	text, err := file.ReadBeside(filepath.Join(dir, "Kptfile"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	k, err := readKptfile(pkgmerge.File{Name: "Kptfile", Data: text})
	return err != nil || k.upstream != nil, nil
}

// CheckKptfile returns an error if a directory has no Kptfile.
func CheckKptfile(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, "Kptfile")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err := readRoot(nil)
	below := ""
	if packages := packagesBelow(dir); packages != nil {
		below = "; packages below it: " + strings.Join(wording.First(packages, 3), ", ")
	}
	return fmt.Errorf("%s: %w%s", dir, err, below)
}

// packagesBelow returns the directories in a directory that have a Kptfile or a config.
func packagesBelow(dir string) (packages []string) {
	entries, _ := os.ReadDir(dir) // one that cannot be read has none for the user
	for _, e := range entries {
		below := filepath.Join(dir, e.Name())
		for _, name := range [2]string{"Kptfile", file.Config} {
			if _, err := os.Lstat(filepath.Join(below, name)); err == nil {
				packages = append(packages, below)
				break
			}
		}
	}
	return packages
}

// below returns a source relative to the working directory: in the config, a path is relative to the copy.
func (t *Tracked) below(text string) string {
	isRemote := gitrepo.IsRemote(text) && !strings.HasPrefix(text, ".")
	if isRemote || filepath.IsAbs(text) {
		return text
	}
	up := 0
	for strings.HasPrefix(text, "../") {
		text, up = text[len("../"):], up+1
	}
	dir := filepath.Join(pathAbove(t.Dir, up), strings.Repeat("../", up))
	if dir == "." && !gitrepo.IsRemote(text) {
		return text
	}
	return filepath.ToSlash(dir) + "/" + text
}

// pathAbove returns the path of a directory from which some steps up lead where they lead on disk: without symbolic links, if
// they lead elsewhere by its name.
func pathAbove(dir string, steps int) string {
	name := filepath.Clean(dir)
	real, err := realPath(dir)
	if err != nil {
		return name
	}
	byName, err := filepath.Abs(dir)
	if err != nil {
		return name
	}
	up := strings.Repeat("../", steps)
	if top, err := filepath.EvalSymlinks(filepath.Join(byName, up)); err == nil && top == filepath.Join(real, up) {
		return name
	}
	return real
}

// realPath returns the absolute path of a directory, without symbolic links.
func realPath(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// Version is a version of upstream that was read.
type Version struct {
	source.Source
	// Name is the version's, and Digest the digest of its files.
	Name, Digest string
}

// read is a source that was read before.
type read pkgmerge.Package

// Read returns the package.
func (r read) Read(context.Context) (pkgmerge.Package, error) { return pkgmerge.Package(r), nil }

// Read reads a version.
func (t *Tracked) Read(ctx context.Context, name string) (Version, error) {
	v := Version{Name: name}
	from, err := source.Parse(t.below(t.At(name)), nil)
	if err != nil {
		return v, fmt.Errorf("version %s: %w", name, err)
	}
	p, err := from.Read(ctx)
	if err == nil && len(p.Files) == 0 {
		err = fmt.Errorf("%s has no files", t.At(name))
	}
	if err != nil {
		return v, fmt.Errorf("version %s: %w", name, err)
	}
	if v.Source = from; !isDir(from) {
		v.Source = read(p)
	}
	v.Digest, err = digest(p.Files)
	return v, err
}

// Explain adds the nearest versions to the error for a version that cannot be read, if upstream's versions can be listed and it is
// none of them.
func (t *Tracked) Explain(ctx context.Context, name string, err error) error {
	from := t.listed()
	if from == "" || ctx.Err() != nil {
		return err
	}
	all, listing := source.Versions(ctx, from, config.VersionMark)
	if listing != nil {
		return err
	}
	return version.Explain(err, name, all)
}

// isDir reports whether a source is a directory, which may lie in the copy.
func isDir(s source.Source) bool { _, is := s.(source.Dir); return is }

// digest returns the digest of files' names and contents, in the form of go.sum.
func digest(all []pkgmerge.File) (string, error) {
	texts := map[string][]byte{}
	for _, f := range all {
		texts[f.Name] = f.Data
	}
	return dirhash.Hash1(slices.Sorted(maps.Keys(texts)), func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(texts[name])), nil
	})
}

// Program returns the program that renders a version.
func (t *Tracked) Program(name string) render.Program {
	return render.Program{Dir: t.Dir, Arguments: t.CommandAt(name), Limit: t.TimeLimit()}
}

// Render renders the copy's version and another one, for a merge with the options into local.
func (t *Tracked) Render(ctx context.Context, name string, local pkgmerge.Package, o pkgmerge.Options) (origin, upstream Version, r *render.Renders, err error) {
	if r, err = render.Versions(ctx, t.Program(t.Version), t.Program(name), local, o); err != nil {
		return origin, upstream, nil, err
	}
	return Version{Source: read(r.Origin), Name: t.Version}, Version{Source: read(r.Upstream), Name: name}, r, nil
}

// Origin reads the version from which the copy was made. It is an error if its digest is another one.
func (t *Tracked) Origin(ctx context.Context) (Version, error) {
	v, err := t.Read(ctx, t.Version)
	if err == nil && t.Digest != "" && t.Digest != v.Digest {
		err = fmt.Errorf("version %s: its digest is %s, and upstream.digest in %s is %s: it changed, or upstream.version was changed without an update; correct the version or the digest",
			t.Version, v.Digest, file.Config, t.Digest)
	}
	return v, err
}

// Newer lists the versions that are newer than the copy's, oldest first, and returns the newest release among
// them, "" if there is none.
func (t *Tracked) Newer(ctx context.Context) (versions []string, release string, err error) {
	from := t.listed()
	if from == "" {
		return nil, "", fmt.Errorf("%s: the versions of upstream.command cannot be listed; name one, as %s@VERSION", filepath.Join(t.Dir, file.Config), t.Dir)
	}
	all, err := source.Versions(ctx, from, config.VersionMark)
	if err == nil {
		versions, err = newer(t.Version, all)
	}
	if err == nil && !slices.Contains(all, t.Version) {
		err = t.checkThere(all)
	}
	return versions, version.Latest(versions), err
}

// checkThere returns an error if the source of a copy whose version is not among the listed ones has no versions, or is
// not there: the tags are then those of a repository around it.
func (t *Tracked) checkThere(listed []string) error {
	base, ofTags := strings.CutSuffix(t.Source, "@"+config.VersionMark)
	isGone := t.Command == nil && ofTags && !gitrepo.IsRemote(base) && !isOnDisk(t.below(base))
	if isGone || t.Command == nil && len(listed) == 0 {
		return fmt.Errorf("%s: upstream.source: %w", filepath.Join(t.Dir, file.Config), t.noVersions())
	}
	return nil
}

// listed returns the source whose versions can be listed: of a command, the OCI artifact among its arguments, "" if
// there is none.
func (t *Tracked) listed() string {
	if t.Command == nil {
		return t.below(t.Source)
	}
	for _, argument := range t.Command {
		if strings.HasPrefix(argument, "oci://") && !strings.Contains(argument, config.VersionMark) {
			argument += ":" + config.VersionMark
		}
		if strings.HasPrefix(argument, "oci://") {
			return argument
		}
	}
	return ""
}

// newer returns the versions that are newer than one. It is an error if that has no place in their order.
func newer(than string, all []string) ([]string, error) {
	if _, ok := version.Compare(than, than); !ok {
		return nil, fmt.Errorf("the copy is at %q, which has no order among versions; name the version", than)
	}
	return version.Newer(than, all), nil
}

// Latest returns the newest release that is newer than the version of a package, "" if there is none. The
// package's Kptfile has its upstream.
func Latest(ctx context.Context, git gitrepo.Git, local []pkgmerge.File) (string, error) {
	k, err := readRoot(local)
	if err != nil {
		return "", err
	}
	all, err := git.Tags(ctx, k.upstream.remote())
	if err != nil {
		return "", err
	}
	versions, err := newer(strings.TrimPrefix(k.upstream.ref, k.upstream.path()+"/"), all)
	return version.Latest(versions), err
}

// Noting returns the config of the copy with the version to which the copy is updated. A digest is written only where
// the config has one, or where it has no upstream yet. All other bytes stay.
func (t *Tracked) Noting(v Version) (config.Edited, error) {
	return config.Edit(t.Dir, func(text []byte) ([]byte, error) {
		before, err := config.ReadUpstream(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Config, err)
		}
		to := config.Upstream{Source: t.Source, Version: v.Name}
		if before == nil || before.Digest != "" {
			to.Digest = v.Digest
		}
		after, err := config.WithUpstream(text, to)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Dir, err)
		}
		return after, nil
	})
}

// HasUpstream reports whether the Kptfile or the config of a directory names an upstream.
func HasUpstream(dir string) bool {
	if has, err := hasKptUpstream(dir); has || err != nil {
		return true
	}
	t, err := ReadTracked(dir)
	return err != nil || t != nil
}
