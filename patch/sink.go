package patch

import (
	"context"
	"fmt"
	"io"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// Sink is where the result of a merge goes as patches of one side's resources (rules/patches: the
// output patches): of each resource that changed its patch, of a new one the resource, and
// of one that is gone `$patch: delete`. Of form JSON it is one kustomize Component, beside
// what is new. A document that no patch finds, as it has no name, is left out.
type Sink struct {
	// Dir gets a file for each resource, like a sink.Dir; "" is To, which gets a stream of documents.
	Dir string
	// Force has Dir get the files though it is not empty, like a sink.ForcedDir.
	Force bool
	To    io.Writer
	// From is whose resources the patches apply to.
	From    identity.Side
	Options Options
	// Matched has a patch apply to the resource that was matched, whatever the result calls it:
	// it is for the result of an apply. Else a patch finds its resource by apiVersion, kind and
	// name.
	Matched bool
}

// Write writes the patches. A change that the form cannot say is an error.
func (s Sink) Write(ctx context.Context, result *pkgmerge.Result) error {
	if err := sink.Check(s.Dir, result); err != nil {
		return err
	}
	files, err := s.files(result)
	switch {
	case err != nil:
		return err
	case s.Dir != "" && s.Force:
		return sink.ForcedDir(s.Dir).WriteFiles(ctx, files)
	case s.Dir != "":
		return sink.Dir(s.Dir).WriteFiles(ctx, files)
	}
	for _, f := range files {
		if _, err := fmt.Fprintf(s.To, "---\n%s", f.Data); err != nil {
			return err
		}
	}
	return nil
}

// files are the patches, in the order of the changes.
func (s Sink) files(result *pkgmerge.Result) (files []pkgmerge.File, err error) {
	documents, err := Package(result, PackageOptions{From: s.From, Options: s.Options, Matched: s.Matched, unlisted: s.Dir == ""})
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		text, err := Patch{Node: d.Node}.YAML()
		if err != nil {
			return nil, err
		}
		files = append(files, pkgmerge.File{Name: d.File, Mode: 0o644, Data: text})
	}
	return files, nil
}
