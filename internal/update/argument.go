package update

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// ParseArgument splits PKG@VERSION, either of which may be missing: the package is
// then the current directory, and the version the Kptfile's.
func ParseArgument(arg string) (dir, version string, err error) {
	dir, version, found := strings.Cut(arg, "@")
	if strings.Contains(version, "@") {
		return "", "", errors.New("at most 1 version permitted")
	}
	if found && version == "" {
		return "", "", fmt.Errorf("no version follows the @ of %q", arg)
	}
	if dir == "" {
		dir = "."
	}
	return dir, version, nil
}

// DirtyError is the error of a package that git doesn't have as it is: what an
// update does to it could not be taken back.
type DirtyError struct {
	// Dir is the package, Files are those that git doesn't have, below the top of the
	// repository.
	Dir   string
	Files []string
}

func (e *DirtyError) Error() string {
	text := fmt.Sprintf("package %q contains uncommitted changes: %q", e.Dir, e.Files[0])
	if more := len(e.Files) - 1; more > 0 {
		text += fmt.Sprintf(" and %s", wording.Plural(more, "other file"))
	}
	return text
}

// CheckClean returns a *DirtyError if a package has changes, staged or not, or
// untracked files that git does not ignore. work is where the package was found; there is
// nothing to check outside of a repository, where it is nil.
func CheckClean(ctx context.Context, work *gitrepo.WorkTree, dir string) error {
	if work == nil {
		return nil
	}
	changes, err := work.Changes(ctx)
	if err == nil && len(changes) > 0 {
		err = &DirtyError{Dir: dir, Files: changes}
	}
	return err
}
