package sink

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"

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

// anyFiles is filesOf for results that were not made of files too: then each resource
// is in its file, in the order of the indices.
func anyFiles(dir string, result *pkgmerge.Result) ([]pkgmerge.File, error) {
	if result.HasFiles() {
		return filesOf(dir, result)
	}
	if err := checkFailing(dir, result); err != nil {
		return nil, err
	}
	files, err := texts(result.Package())
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	return files, nil
}

// texts are the files of a package, sorted by name.
func texts(p pkgmerge.Package) ([]pkgmerge.File, error) {
	resources := slices.Clone(p.Resources)
	slices.SortStableFunc(resources, func(a, b *pkgmerge.Resource) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Index, b.Index))
	})
	var files []pkgmerge.File
	for _, r := range resources {
		if !filepath.IsLocal(r.File) || r.File != path.Clean(r.File) {
			return nil, fmt.Errorf("%s: its file %q is none below the directory", r, r.File)
		}
		text, err := r.YAML()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 || files[len(files)-1].Name != r.File {
			files = append(files, pkgmerge.File{Name: r.File, Mode: 0o644})
		}
		last := &files[len(files)-1]
		if len(last.Data) > 0 {
			last.Data = append(last.Data, "---\n"...)
		}
		last.Data = append(last.Data, text...)
	}
	return files, nil
}
