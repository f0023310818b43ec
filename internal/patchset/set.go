package patchset

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Options say what patches are wanted.
type Options struct {
	// From is whose resources the patches apply to.
	From identity.Side
	patch.Options
	// Taken are names of files that no patch may have.
	Taken patch.FileNames
	// Annotated says that the documents get annotations. Then a patch takes the annotations of
	// a resource off one by one, for a null in place of all is none beside others.
	Annotated bool
	// Unlisted has the Component of form json not list the files of what is new: there are
	// none.
	Unlisted bool
}

// Set is what makes the result of a side's resources.
type Set struct {
	// Documents are the patch of each resource that changed, each new resource, and
	// `$patch: delete` for each that is gone. Of form json the patches are one kustomize
	// Component, the last document.
	Documents []Document
	// Left are documents that changed and that no patch finds, as they have no name, and
	// Kptfiles.
	Left []*pkgmerge.Change
}

// Document is a patch or a new resource.
type Document struct {
	// File is a name that no other document of the set has.
	File string
	Node *yaml.Node
}

// Make makes the patches of a merge, in the order of its changes. A change that the form
// cannot say is an error.
func Make(result *pkgmerge.Result, o Options) (Set, error) {
	m := &maker{options: o, taken: patch.FileNames{"kustomization": true}}
	for name := range o.Taken {
		m.taken[name] = true
	}
	var err error
	if m.options.CRDs, err = crds(result, o.From); err != nil {
		return Set{}, err
	}
	m.patches = patch.New(m.options.Options)
	pairs, left, err := pairs(result, o.From)
	if err != nil {
		return Set{}, err
	}
	m.set.Left = left
	for _, p := range pairs {
		if err := m.add(p); err != nil {
			return Set{}, fmt.Errorf("%s: %w", p.change.Newest(), err)
		}
	}
	return m.set, m.component()
}

// crds are the CustomResourceDefinitions of a side and of the result.
func crds(result *pkgmerge.Result, from identity.Side) (found []*yaml.Node, err error) {
	for _, c := range result.Changes {
		if c.Newest().Meta.Kind != "CustomResourceDefinition" {
			continue
		}
		versions, is, err := c.Contents()
		if err != nil {
			return nil, err
		}
		for _, n := range [2]*yaml.Node{is, versions[from]} {
			if n != nil {
				found = append(found, n)
			}
		}
	}
	return found, nil
}

// maker makes a set.
type maker struct {
	options Options
	patches *patch.Maker
	taken   patch.FileNames
	set     Set
	// inComponent are the patches of the Component, and created the files of what is new.
	inComponent []patch.Patch
	created     []string
}

// add adds what makes the result of one resource.
func (m *maker) add(p pair) error {
	switch {
	case p.is == nil:
		t := patch.TargetOf(p.was)
		m.patch(patch.Patch{Form: patch.Kustomize, Target: t, Node: patch.Deletion(t)})
		return nil
	case p.was == nil:
		m.created = append(m.created, m.document(patch.TargetOf(p.is), withoutManagers(p.is)))
		return nil
	}
	made, differs, err := m.patches.Make(withoutManagers(p.was), withoutManagers(p.is))
	if unsayable := (*patch.Unsayable)(nil); errors.As(err, &unsayable) {
		return fmt.Errorf("%w; json says everything", err)
	}
	if err != nil || !differs {
		return err
	}
	if m.options.Annotated && made.Form != patch.JSON {
		made.Node = withoutAnnotations(made.Node, p.was)
	}
	m.patch(made)
	return nil
}

// patch adds a patch. For kustomize, which selects by the target of a Component, a resource of the
// cluster is in no namespace, whatever its metadata says.
func (m *maker) patch(made patch.Patch) {
	if m.options.Form == patch.JSON {
		if transform.ClusterScoped(made.Target) {
			made.Target.Namespace = ""
		}
		m.inComponent = append(m.inComponent, made)
		return
	}
	m.document(made.Target, made.Node)
}

// document adds a document and returns its file.
func (m *maker) document(t patch.Target, n *yaml.Node) string {
	file := m.taken.Of(t)
	m.set.Documents = append(m.set.Documents, Document{File: file, Node: n})
	return file
}

// component adds the Component of form json, which kustomize builds the result with (design
// 16.3).
func (m *maker) component() error {
	if m.options.Form != patch.JSON || m.inComponent == nil && (m.created == nil || m.options.Unlisted) {
		return nil
	}
	if m.options.Unlisted {
		m.created = nil
	}
	n, err := patch.Component(m.inComponent)
	if err != nil {
		return err
	}
	m.set.Documents = append(m.set.Documents, Document{File: "kustomization.yaml", Node: listing(n, m.created)})
	return nil
}
