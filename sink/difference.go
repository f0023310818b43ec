package sink

import (
	"context"
	"io"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink/internal/gitdiff"
)

// Diff writes what the merge would change in local's directory, as `git diff` does
// (rules/files: differences): `git apply` makes the merged package of local's.
type Diff struct {
	// To takes the difference.
	To io.Writer
	// Read are the files of local's package as they were read. The merge's packages
	// were made of files: see pkgmerge.NewPackage.
	Read []pkgmerge.File
	// Below is local's directory in its repository, with slashes, which the names begin
	// with. It may be empty.
	Below string
	// Terminal is for a person's eyes: coloured, binary files named only, and control
	// characters written as \uXXXX.
	Terminal bool
}

// Write writes the difference.
func (d Diff) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := filesOf("the difference", result)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return gitdiff.Write(d.To, d.Read, files, gitdiff.Options{Below: d.Below, Terminal: d.Terminal})
}
