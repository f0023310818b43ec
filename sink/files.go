package sink

import (
	"fmt"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// filesOf are the files of a result that may be written to a directory: one that no
// conflict is to fail.
func filesOf(dir string, result *pkgmerge.Result) ([]pkgmerge.File, error) {
	if err := checkFailing(dir, result); err != nil {
		return nil, err
	}
	files, err := result.Files()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	return files, nil
}

// checkFailing finds a conflict that is to fail the run.
func checkFailing(dir string, result *pkgmerge.Result) error {
	const failed = "write %s: the merge has conflicts that are to fail it, first in %s"
	if failing := result.Failing(); len(failing) > 0 {
		return fmt.Errorf(failed, dir, failing[0].Newest())
	}
	if failing := result.FailingFiles(); len(failing) > 0 {
		return fmt.Errorf(failed, dir, failing[0].Name)
	}
	return nil
}
