// Package update is a file of kpt's own package of that name while
// TestKptTablesCommand runs kpt's tests: `kpt pkg update` is `resource-merge update`.
// The environment variable RESOURCE_MERGE has the program.
package update

import (
	"context"
	"errors"
	"os"
	"os/exec"
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

// resourceMerge runs the program; its error is what it says.
func resourceMerge(args ...string) error {
	out, err := exec.Command(os.Getenv("RESOURCE_MERGE"), args...).CombinedOutput()
	if err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	return nil
}
