package sink

import (
	"fmt"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// filesOf are the files of a result that may be written to a directory: one that no
// conflict is to fail.
func filesOf(dir string, result *pkgmerge.Result) ([]pkgmerge.File, error) {
	if failing := result.Failing(); len(failing) > 0 {
		return nil, fmt.Errorf("write %s: the merge has conflicts that are to fail it, first in %s", dir, failing[0].Newest())
	}
	files, err := result.Files()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	return files, nil
}
