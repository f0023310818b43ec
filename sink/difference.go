package sink

import (
	"context"
	"fmt"
	"io"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/patchset"
	"github.com/resource-merge/resource-merge/patch"
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

// Patches is where the result goes as patches of one side's resources (rules/patches: the
// output patches): of each resource that changed its patch, of a new one the resource, and
// of one that is gone `$patch: delete`. Of form json it is one kustomize Component, beside
// what is new. A document that no patch finds, as it has no name, is left out.
type Patches struct {
	// Dir gets a file a resource, like a Dir; "" is To, which gets a stream of documents.
	Dir string
	// Force has Dir get the files though it is not empty, like a ForcedDir.
	Force bool
	To    io.Writer
	// From is whose resources the patches apply to.
	From    identity.Side
	Options patch.Options
}

// Write writes the patches. A change that the form cannot say is an error.
func (p Patches) Write(ctx context.Context, result *pkgmerge.Result) error {
	if err := checkFailing(p.Dir, result); err != nil {
		return err
	}
	files, err := p.files(result)
	switch {
	case err != nil:
		return err
	case p.Dir != "" && p.Force:
		return ForcedDir(p.Dir).WriteFiles(ctx, files)
	case p.Dir != "":
		return Dir(p.Dir).WriteFiles(ctx, files)
	}
	for _, f := range files {
		if _, err := fmt.Fprintf(p.To, "---\n%s", f.Data); err != nil {
			return err
		}
	}
	return nil
}

// files are the patches, in the order of the changes.
func (p Patches) files(result *pkgmerge.Result) (files []pkgmerge.File, err error) {
	set, err := patchset.Make(result, patchset.Options{From: p.From, Options: p.Options, Unlisted: p.Dir == ""})
	if err != nil {
		return nil, err
	}
	for _, d := range set.Documents {
		text, err := patch.Patch{Node: d.Node}.YAML()
		if err != nil {
			return nil, err
		}
		files = append(files, pkgmerge.File{Name: d.File, Mode: 0o644, Data: text})
	}
	return files, nil
}
