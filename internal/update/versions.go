package update

import (
	"context"
	"fmt"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// versions are those that were fetched.
type versions struct {
	git   gitrepo.Git
	known map[gitrepo.Remote]*gitrepo.Version
}

// fetch fetches a version, once.
func (v *versions) fetch(ctx context.Context, r reference) (*gitrepo.Version, error) {
	remote := r.remote()
	if known := v.known[remote]; known != nil {
		return known, nil
	}
	version, err := v.git.Fetch(ctx, remote)
	if err == nil && version.IsFile {
		err = fmt.Errorf("read %s: it is a file or a link, and a package is a directory", version.Remote)
	}
	if err != nil {
		return nil, err
	}
	v.known[remote] = version
	return version, nil
}
