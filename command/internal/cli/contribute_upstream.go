package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// upstreams are the versions of upstream that a contribution is about.
type upstreams struct {
	origin, newest source.Source
	names          [2]string
	// dir is the directory of the package in upstream's repository.
	dir string
}

// findUpstream finds the version that a copy was made from, and upstream's newest.
func findUpstream(ctx context.Context, dir string) (up upstreams, err error) {
	if err := isDirectory(dir); err != nil {
		return up, err
	}
	tracked, err := update.ReadTracked(dir)
	if err != nil {
		return up, err
	}
	if tracked == nil {
		return kptUpstream(ctx, dir)
	}
	origin, err := tracked.Origin(ctx)
	if err != nil {
		return up, err
	}
	_, release, err := tracked.Newer(ctx)
	if err != nil || release == "" {
		release = tracked.Version
	}
	newest, err := tracked.Read(ctx, release)
	if err != nil {
		return up, err
	}
	below, err := directoryIn(ctx, dir, tracked.At(release), release)
	return upstreams{origin, newest, [2]string{tracked.Version, release}, below}, err
}

// directoryIn returns the directory in its repository of a source at a version, "" if it is in none.
func directoryIn(ctx context.Context, dir, text, version string) (string, error) {
	if gitrepo.IsRemote(text) && !strings.HasPrefix(text, ".") {
		all, err := gitrepo.Parse(text)
		if err != nil || len(all) != 1 {
			return "", nil // of several possible ones it is not known
		}
		return all[0].Directory, nil
	}
	text = strings.TrimSuffix(text, "@"+version)
	if !filepath.IsAbs(text) {
		text = filepath.Join(dir, text)
	}
	work, err := gitrepo.Git{}.Find(ctx, text)
	if err != nil || work == nil {
		return "", err
	}
	return work.Name, nil
}

// kptUpstream is findUpstream for a package with a Kptfile.
func kptUpstream(ctx context.Context, dir string) (up upstreams, err error) {
	text, err := file.ReadBeside(filepath.Join(dir, "Kptfile"))
	if errors.Is(err, os.ErrNotExist) {
		return up, fmt.Errorf("%s has no upstream: neither a Kptfile nor upstream in %s; resource-merge track writes one", dir, file.Config)
	}
	if err != nil {
		return up, err
	}
	lock, name, found := update.Lock(text)
	if !found {
		return up, fmt.Errorf("%s: its Kptfile has no upstreamLock", dir)
	}
	newest := lock
	newest.Ref = name
	if release, err := update.Latest(ctx, gitrepo.Git{}, []pkgmerge.File{{Name: "Kptfile", Data: text}}); err == nil && release != "" {
		newest.Ref = release
	}
	return upstreams{fetched(lock), fetched(newest), [2]string{name, newest.Ref}, lock.Directory}, nil
}

// fetched is a version in a repository as a source.
type fetched gitrepo.Remote

// Read fetches the version.
func (f fetched) Read(ctx context.Context) (pkgmerge.Package, error) {
	v, err := gitrepo.Git{}.Fetch(ctx, gitrepo.Remote(f))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return packageOf(v)
}
