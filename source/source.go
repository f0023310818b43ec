// Package source reads the versions of a package that are to be merged.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Source reads a version of a package. Resources in memory need no Source: see pkgmerge.NewResource.
type Source interface {
	Read(context.Context) (pkgmerge.Package, error)
}

// Three reads the three versions of a package. Files that local's .krmignore names are in no
// version, and a version that lies in another one's directory is no part of that (rules/files:
// reading a directory). The error names the version that could not be read.
func Three(ctx context.Context, origin, upstream, local Source) (packages [3]pkgmerge.Package, err error) {
	sources := [3]Source{identity.Origin: origin, identity.Upstream: upstream, identity.Local: local}
	read := func(side identity.Side) (err error) {
		if dir, is := sources[side].(Dir); is { // most files are as origin has them
			packages[side], err = dir.read(ctx, packages[identity.Origin], dir.nested(sources))
		} else {
			packages[side], err = sources[side].Read(ctx)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", side, err)
		}
		return err
	}
	if err := read(identity.Origin); err != nil {
		return packages, err
	}
	// Two directories are read at once: to list the one and to read the other can be done by two processors.
	_, upstreamIsDir := upstream.(Dir)
	_, localIsDir := local.(Dir)
	goroutines := 1
	if upstreamIsDir && localIsDir {
		goroutines = 2
	}
	err = parallel.On(goroutines, 2, func(i int) error { return read([2]identity.Side{identity.Upstream, identity.Local}[i]) })
	if err != nil {
		return packages, err
	}
	if err := cmp.Or(checkStreams(sources, packages), checkFileBeside(sources, packages), checkResources(sources, packages)); err != nil {
		return packages, err
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		packages[side] = packages[side].WithoutIgnored(packages[identity.Local])
	}
	return packages, nil
}

// Parse returns the source that a user names (rules/versions: sources): - for stdin, an existing directory,
// file, pipe or archive, which has precedence, an OCI artifact, a remote archive, manifest or directory, or path@revision. It does not connect to a remote.
func Parse(text string, stdin io.Reader) (Source, error) {
	if text == "-" {
		return stream{name: "stdin", stdin: stdin}, nil
	}
	if text == "" {
		return nil, errors.New("the version has no name")
	}
	if info, err := os.Stat(text); err == nil && info.IsDir() {
		return Dir(text), nil
	} else if err == nil && isStream(info) {
		return stream{name: text}, nil
	} else if err == nil && !IsArchive(text) {
		return File(text), nil
	}
	if strings.HasPrefix(text, ociScheme) {
		return parseArtifact(text)
	}
	if a, is, err := parseArchive(text); is {
		return a, err
	}
	if isManifestURL(text) {
		return parseManifest(text)
	}
	if gitrepo.IsRemote(text) {
		_, err := gitrepo.Parse(text)
		return remote(text), err
	}
	if r, found := parseRevision(text); found {
		return r, nil
	}
	meant := file.Nearest(text)
	if strings.HasPrefix(text, "HEAD") || strings.ContainsAny(text, "~^") {
		meant = "; did you mean .@" + text + "?"
	}
	return nil, fmt.Errorf("%q: no such file or directory, and no PATH@REVISION, https://host/repo.git/dir@REF, archive's URL or oci://host/repo:TAG%s", text, meant)
}

// parseRevision splits a text at the last @ behind an existing path, else, if the path is gone by now, at the first.
func parseRevision(text string) (r revision, found bool) {
	for at := strings.LastIndexByte(text, '@'); at >= 0; at = strings.LastIndexByte(text[:at], '@') {
		r = revision{cmp.Or(text[:at], "."), text[at+1:]}
		found = r.revision != ""
		if _, err := os.Lstat(r.path); err == nil && found {
			break
		}
	}
	return r, found
}

// ParseThree parses the three versions of a package. If local is one file, the others get its name, since
// they are versions of that file and not moved files; if origin and upstream are one file each, upstream
// gets origin's name. An empty origin is Nothing.
func ParseThree(origin, upstream, local string, stdin io.Reader) (sources [3]Source, err error) {
	sources, err = parseEach([3]string{identity.Origin: origin, identity.Upstream: upstream, identity.Local: local}, stdin)
	if err != nil {
		return sources, err
	}
	if err := checkOneFile(sources); err != nil {
		return sources, err
	}
	if name, is := fileName(sources[identity.Local]); is {
		for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
			sources[side] = named{sources[side], name}
		}
		return sources, nil
	}
	name, is := fileName(sources[identity.Origin])
	if _, both := fileName(sources[identity.Upstream]); is && both {
		sources[identity.Upstream] = named{sources[identity.Upstream], name}
	}
	return sources, nil
}

// parseEach parses three versions; one may be stdin. An empty origin is Nothing.
func parseEach(texts [3]string, stdin io.Reader) (sources [3]Source, err error) {
	streams := 0
	for side, text := range texts {
		if text == "" && identity.Side(side) == identity.Origin {
			sources[side] = Nothing{}
			continue
		}
		if sources[side], err = Parse(text, stdin); err != nil {
			return sources, fmt.Errorf("%s: %w", identity.Side(side), err)
		}
		if text == "-" {
			streams++
		}
	}
	if streams > 1 {
		return sources, errors.New("only one version can be read from stdin")
	}
	return sources, nil
}

// checkOneFile returns an error if local is one file and another version is a directory.
func checkOneFile(sources [3]Source) error {
	file, is := sources[identity.Local].(File)
	if !is {
		return nil
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if dir, is := sources[side].(Dir); is {
			name := filepath.Base(string(file))
			return fmt.Errorf("local is the file %s, and %s is the directory %s; name the file in it, such as %s", file, side, dir, filepath.Join(string(dir), name))
		}
	}
	return nil
}

// checkFileBeside returns an error if one of origin and upstream is a file, the other one is not, and that or local has the file
// beside more files: it is a part of its version, and the rest would count as added or deleted (rules/files: reading a directory).
func checkFileBeside(sources [3]Source, packages [3]pkgmerge.Package) error {
	for side, other := range [2]identity.Side{identity.Origin: identity.Upstream, identity.Upstream: identity.Origin} {
		name, is := filePath(sources[side])
		if _, alike := filePath(sources[other]); !is || alike {
			continue
		}
		for _, beside := range [2]identity.Side{other, identity.Local} {
			if err := checkBeside(identity.Side(side), name, beside, packages[beside].Files); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkBeside returns an error if a version that is a file is one of several files of another version.
func checkBeside(side identity.Side, name string, beside identity.Side, files []pkgmerge.File) error {
	at := slices.IndexFunc(files, func(f pkgmerge.File) bool { return name == f.Name || strings.HasSuffix(name, "/"+f.Name) })
	if len(files) < 2 || at < 0 {
		return nil
	}
	return fmt.Errorf("%s is the file %s, and %s has %d files, %s among them; name the directory of the file, or the file in each version",
		side, name, beside, len(files), files[at].Name)
}

// filePath returns the path of a source that is a file of the file system, or of a revision.
func filePath(s Source) (name string, is bool) {
	switch one := s.(type) {
	case File:
		return filepath.ToSlash(string(one)), true
	case revision:
		info, err := os.Stat(one.path)
		return filepath.ToSlash(one.path), err == nil && info.Mode().IsRegular()
	case named:
		return filePath(one.Source)
	}
	return "", false
}

// fileName returns the name of a source that is one file.
func fileName(s Source) (name string, is bool) {
	switch one := s.(type) {
	case File:
		return filepath.Base(string(one)), true
	case stream:
		return "stdin.yaml", true
	}
	return "", false
}

// named is a source of one file with another name.
type named struct {
	Source
	name string
}

// Read reads the file. It is an error if the source has several.
func (n named) Read(ctx context.Context) (pkgmerge.Package, error) {
	p, err := n.Source.Read(ctx)
	switch {
	case err != nil || len(p.Files) == 0 || len(p.Files) == 1 && p.Files[0].Name == n.name:
		return p, err
	case len(p.Files) > 1:
		return p, fmt.Errorf("it has %d files, and local is the file %s; name one file in each version, or the directory of local", len(p.Files), n.name)
	}
	file := p.Files[0]
	file.Name = n.name
	return newPackage(ctx, p.Source, file)
}

// Versions lists the versions of a source in which a mark stands for the version (rules/versions: lists of versions):
// the tags of a repository or of an artifact, or the names of directories and archives. Names that are no versions
// are among them.
func Versions(ctx context.Context, text, mark string) (versions []string, err error) {
	if !strings.Contains(text, mark) {
		return nil, fmt.Errorf("%s: it has no %s in place of the version", gitrepo.Redact(text), mark)
	}
	template, all, err := listVersions(ctx, text, mark)
	if err != nil {
		return nil, fmt.Errorf("list the versions of %s: %w", gitrepo.Redact(text), err)
	}
	before, after, _ := strings.Cut(template, mark)
	for _, name := range all {
		version, begins := strings.CutPrefix(name, before)
		if version, ends := strings.CutSuffix(version, after); begins && ends && version != "" {
			versions = append(versions, version)
		}
	}
	return versions, nil
}

// listVersions returns all names at the place of a mark in a text, and the part of the text that stands for a name.
func listVersions(ctx context.Context, text, mark string) (template string, names []string, err error) {
	if reference, is := strings.CutPrefix(text, ociScheme); is {
		return listArtifacts(ctx, reference, mark)
	}
	plain, _, _ := strings.Cut(text, "#")
	plain, _, _ = strings.Cut(plain, "?")
	if scheme, rest, isURL := strings.Cut(plain, "://"); isURL {
		if file, _, _ := strings.Cut(rest, "//"); IsArchive(file) {
			return "", nil, fmt.Errorf("no list of archives can be read by %s; name a version", scheme)
		}
		if isManifestURL(text) {
			return "", nil, fmt.Errorf("no list of manifests can be read by %s; name a version", scheme)
		}
	}
	if gitrepo.IsRemote(text) {
		return listTags(ctx, text, mark)
	}
	if at := strings.LastIndexByte(text, '@'); at > strings.LastIndexByte(text, '/') && strings.Contains(text[at:], mark) {
		work, err := gitrepo.Git{}.Find(ctx, text[:at])
		if err != nil || work == nil {
			return "", nil, errors.Join(err, errors.New(inNone(text[:at])+bareHint(text[:at])))
		}
		names, err := gitrepo.Git{}.Tags(ctx, gitrepo.Remote{Repository: work.Top})
		return text[at+1:], names, err
	}
	return listDir(text, mark)
}

// listTags lists the tags of a remote repository.
func listTags(ctx context.Context, text, mark string) (template string, names []string, err error) {
	remotes, err := gitrepo.Parse(text)
	if err != nil {
		return "", nil, err
	}
	if template = remotes[0].Ref; !strings.Contains(template, mark) {
		return "", nil, errors.New("only versions behind the @ can be listed; name a version")
	}
	names, err = gitrepo.Git{}.Tags(ctx, remotes...)
	return template, names, err
}

// listArtifacts lists the tags of an OCI artifact.
func listArtifacts(ctx context.Context, reference, mark string) (template string, names []string, err error) {
	name, _, _ := strings.Cut(reference, "//")
	at := strings.LastIndexByte(name, ':')
	if at < 0 || !strings.Contains(name[at:], mark) {
		return "", nil, errors.New("only versions that are tags can be listed; name a version")
	}
	repository, err := artifact{reference: name[:at]}.repository()
	if err != nil {
		return "", nil, err
	}
	if names, err = tagsOf(ctx, repository); err != nil {
		return "", nil, withLogin(err, repository.Reference.Registry)
	}
	return name[at+1:], names, nil
}

// listDir lists the directories and files whose names may have a version.
func listDir(text, mark string) (template string, names []string, err error) {
	before, after, _ := strings.Cut(text, mark)
	above, start := filepath.Split(before)
	end, rest, _ := strings.Cut(after, "/")
	entries, err := os.ReadDir(filepath.Clean(above))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if template = start + mark + end; IsArchive(template) {
		return template, names, err // the rest of the path is in the archive
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(above, name, rest))
		return err != nil
	})
	return template, names, err
}
