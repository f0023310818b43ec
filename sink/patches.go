package sink

import (
	"context"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Patches is where the result goes as patches of one side's resources (design 16): of each
// resource that changed its patch, of a new one the resource, and of one that is gone
// `$patch: delete`. Of form json it is one kustomize Component, beside what is new.
type Patches struct {
	// Dir gets a file a resource, like a Dir; "" is To, which gets a stream of documents.
	Dir string
	To  io.Writer
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
	maker, taken := patch.New(p.Options), patch.FileNames{"kustomization": true}
	var operations []patch.Patch
	for _, c := range result.Changes {
		made, differs, err := p.of(c, maker)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Newest(), err)
		}
		if differs && made.Form == patch.JSON {
			operations = append(operations, made)
		} else if differs {
			text, err := made.YAML()
			if err != nil {
				return nil, err
			}
			files = append(files, pkgmerge.File{Name: taken.Of(made.Target), Mode: 0o644, Data: text})
		}
	}
	if operations != nil {
		component, err := patch.Component(operations)
		if err != nil {
			return nil, err
		}
		text, err := patch.Patch{Node: component}.YAML()
		if err != nil {
			return nil, err
		}
		files = append(files, pkgmerge.File{Name: "kustomization.yaml", Mode: 0o644, Data: text})
	}
	return files, nil
}

// of is what makes the result of one resource.
func (p Patches) of(c *pkgmerge.Change, maker *patch.Maker) (made patch.Patch, differs bool, err error) {
	versions, is, err := c.Contents()
	was := versions[p.From]
	switch {
	case err != nil || was == nil && is == nil:
		return made, false, err
	case is == nil:
		t := patch.TargetOf(was)
		return patch.Patch{Form: patch.Kustomize, Target: t, Node: patch.Deletion(t)}, true, nil
	case was == nil:
		return patch.Patch{Form: patch.Merge, Target: patch.TargetOf(is), Node: is}, true, nil
	}
	made, differs, err = maker.Make(withoutManagers(was), withoutManagers(is))
	var unsayable *patch.Unsayable
	if errors.As(err, &unsayable) {
		err = fmt.Errorf("%w; json says everything", err)
	}
	return made, differs, err
}

// withoutManagers is a resource without its managedFields, which the server keeps itself.
func withoutManagers(n *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(n, "metadata")
	if yamlnode.Field(metadata, "managedFields") == nil {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool { return name == "managedFields" }))
}
