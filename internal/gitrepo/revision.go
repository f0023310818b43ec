package gitrepo

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// Revision reads the file or directory that was found as it is at a revision of
// its repository: a branch, a tag, a commit, or what else git takes for one, such
// as HEAD~2. Nothing is fetched.
func (w *WorkTree) Revision(ctx context.Context, revision string) (*Version, error) {
	if err := checkRevision(revision); err != nil {
		return nil, err
	}
	args := []string{"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}
	out, err := w.run(ctx, command{args: args})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s has no revision %q", w.Top, revision)
	}
	version := &Version{
		Remote: Remote{Repository: w.Top, Directory: w.Name, Ref: revision},
		ID:     strings.TrimSpace(string(out)),
	}
	reader := tree{run: w.run, commit: version.ID, dir: w.Name}
	if err := reader.read(ctx, version); err != nil {
		return nil, fmt.Errorf("read %s: %w", version.Remote, err)
	}
	return version, nil
}

// checkRevision returns an error about a text that git could take for an option,
// or that names no commit.
func checkRevision(revision string) error {
	if strings.HasPrefix(revision, "-") {
		return fmt.Errorf("the revision %q looks like an option of git", revision)
	}
	if revision == "" || strings.ContainsAny(revision, ":") || strings.ContainsFunc(revision, unicode.IsControl) {
		return fmt.Errorf("the revision %q is none", revision)
	}
	return nil
}
