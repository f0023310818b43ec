package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

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
	}
	if gitrepo.IsRemote(text) {
		return listTags(ctx, text, mark)
	}
	if at := strings.LastIndexByte(text, '@'); at > strings.LastIndexByte(text, '/') && strings.Contains(text[at:], mark) {
		work, err := gitrepo.Git{}.Find(ctx, text[:at])
		if err != nil || work == nil {
			return "", nil, errors.Join(err, fmt.Errorf("%s is in no git repository", text[:at]))
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
	deadline, cancel := context.WithTimeout(ctx, maxDownload)
	defer cancel()
	err = repository.Tags(deadline, "", func(page []string) error {
		names = append(names, page...)
		return nil
	})
	if err != nil {
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
		return template, names, err // what follows is in the archive
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(above, name, rest))
		return err != nil
	})
	return template, names, err
}
