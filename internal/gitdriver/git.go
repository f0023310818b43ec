package gitdriver

import (
	"context"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// Git starts the user's git in a directory, "" for that of the process. A merge
// driver runs inside of git: the variables that lead to git's repository stay.
type Git struct {
	Dir string
	// old says that git is older than 2.44, and merges lines by one algorithm only.
	old bool
}

// run runs git and returns what it wrote to stdout, and its exit code.
func (g Git) run(ctx context.Context, args ...string) (out []byte, code int, err error) {
	return gitrepo.Inside(ctx, g.Dir, nil, args...)
}

// output is what git writes, if it does not fail.
func (g Git) output(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := g.run(ctx, args...)
	return out, err
}

// config is a value of git's configuration, "" if it is not set.
func (g Git) config(ctx context.Context, name string) (string, error) {
	out, code, err := g.run(ctx, "config", "--get", name)
	if code == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}
