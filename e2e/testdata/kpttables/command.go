// Package update is a file of kpt's own package of that name while TestKptTables
// runs kpt's tests: what kpt does to a package is done by resource-merge instead.
// The environment variable RESOURCE_MERGE has the program.
package update

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kptdev/kpt/pkg/lib/gitutil"
)

// Run updates a package with the command update. The tests update what is not
// committed, as kpt does, so the command is told to.
func (u *Command) Run(ctx context.Context) error {
	if err := u.keepFetched(ctx); err != nil {
		return err
	}
	arg := u.Pkg.UniquePath.String()
	if u.Ref != "" {
		arg += "@" + u.Ref
	}
	args := []string{"update", arg, "--force"}
	if u.Strategy != "" {
		args = append(args, "--strategy", string(u.Strategy))
	}
	return resourceMerge(args...)
}

// keepFetched keeps in memory what kpt would have fetched of the package's own
// upstream: callers in kpt ask for it. It does nothing to the package.
func (u *Command) keepFetched(ctx context.Context) error {
	kf, err := u.Pkg.Kptfile()
	if err != nil || kf.Upstream == nil || kf.Upstream.Git == nil || kf.UpstreamLock == nil {
		return nil
	}
	ref := u.Ref
	if ref == "" {
		ref = kf.Upstream.Git.Ref
	}
	repo, err := gitutil.NewGitUpstreamRepo(ctx, kf.Upstream.Git.Repo)
	if err != nil {
		return nil
	}
	for _, ref := range []string{ref, kf.UpstreamLock.Git.Commit} {
		if _, err := repo.GetRepo(ctx, []string{ref}); err != nil {
			return nil
		}
	}
	u.cachedUpstreamRepos = map[string]*gitutil.GitUpstreamRepo{kf.Upstream.Git.Repo: repo}
	return nil
}

// Update of an updater merges three directories with the command merge.
func (u ResourceMergeUpdater) Update(o Options) error { return merged("resource-merge", o) }

func (u FastForwardUpdater) Update(o Options) error { return merged("fast-forward", o) }

func (u ReplaceUpdater) Update(o Options) error { return merged("force-delete-replace", o) }

func (u CopyMergeUpdater) Update(o Options) error { return merged("copy-merge", o) }

// merged merges the three versions of a package. One that is not the root is put
// into a directory of that role first.
func merged(strategy string, o Options) error {
	if o.IsRoot {
		return mergeDirectories(strategy, o)
	}
	in, err := os.MkdirTemp("", "sub-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(in)
	for side, dir := range map[string]string{"origin": o.OriginPath, "upstream": o.UpdatedPath, "local": o.LocalPath} {
		below := filepath.Join(in, side, "sub")
		err := os.MkdirAll(filepath.Dir(below), 0o755)
		if _, missing := os.Stat(dir); err == nil && missing == nil {
			err = os.CopyFS(below, os.DirFS(dir))
		}
		if err != nil {
			return err
		}
	}
	root := Options{OriginPath: filepath.Join(in, "origin"), UpdatedPath: filepath.Join(in, "upstream"), LocalPath: filepath.Join(in, "local")}
	if err := mergeDirectories(strategy, root); err != nil {
		return err
	}
	if err := os.RemoveAll(o.LocalPath); err != nil {
		return err
	}
	below := filepath.Join(in, "local", "sub")
	if _, err := os.Stat(below); err != nil {
		return nil
	}
	return os.CopyFS(o.LocalPath, os.DirFS(below))
}

func mergeDirectories(strategy string, o Options) error {
	args := []string{"merge", "--upstream", o.UpdatedPath, "--local", o.LocalPath,
		"--write", "--force", "--strategy", strategy, "--conflicts", "upstream"}
	if entries, err := os.ReadDir(o.OriginPath); err == nil && len(entries) > 0 {
		return resourceMerge(append(args, "--origin", o.OriginPath)...)
	}
	config, err := os.CreateTemp("", "config-")
	if err != nil {
		return err
	}
	defer os.Remove(config.Name())
	defer config.Close()
	if _, err := config.WriteString(noOrigin); err != nil {
		return err
	}
	return resourceMerge(append(args, "--config", config.Name())...)
}

// noOrigin says that there is no origin: to kpt a directory without files is none.
const noOrigin = `apiVersion: fn.kpt.dev/v1alpha1
kind: ResourceMerge
metadata: {name: no-origin}
sources: {origin: {none: true}}
`

// resourceMerge runs the program; its error is what it says.
func resourceMerge(args ...string) error {
	out, err := exec.Command(os.Getenv("RESOURCE_MERGE"), args...).CombinedOutput()
	if err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}
