package patch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// Sink writes the result of a merge as patches of one side's resources (rules/patches: the output
// patches), the files of Package. A document without a name, which no patch finds, is left out.
type Sink struct {
	// Dir gets the files, like a sink.Dir; if it is "", To gets a stream of documents.
	Dir string
	// Force writes the files though Dir is not empty, like a sink.ForcedDir.
	Force bool
	To    io.Writer
	PackageOptions
}

// Write writes the patches. A change that the form cannot express is an error.
func (s Sink) Write(ctx context.Context, result *pkgmerge.Result) error {
	if err := sink.Check(s.Dir, result); err != nil {
		return err
	}
	s.withoutNew = s.Dir == ""
	files, err := Package(result, s.PackageOptions)
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

// PackageOptions configure the patches of a package.
type PackageOptions struct {
	// From is the side whose resources the patches apply to.
	From identity.Side
	Options
	// Taken are names of files that no patch may have.
	Taken FileNames
	// Matched makes a patch for the matched resource, whatever its name is in the result: for the
	// result of an apply. Else a patch finds its resource by apiVersion, kind and name.
	Matched bool
	// Annotated reports that the documents get annotations. Then a patch removes the annotations of a
	// resource one by one, since a null for all of them would be lost beside others.
	Annotated bool
	// withoutNew says that no file of a new resource is written, so the Component lists none.
	withoutNew bool
}

// Package returns the patches of a merged package as files, in the order of its changes: the patch of
// each changed resource, each new resource, and `$patch: delete` for each removed one. Of form JSON the
// patches are one kustomize Component, the last file. A change that the form cannot express is an
// error. Changes that no patch finds are left out: see Unaddressed.
func Package(result *pkgmerge.Result, o PackageOptions) ([]pkgmerge.File, error) {
	m := &packager{options: o, taken: FileNames{"kustomization": true}}
	maps.Copy(m.taken, o.Taken)
	var err error
	if o.Options.CRDs, err = crds(result, o.From); err != nil {
		return nil, err
	}
	m.maker = New(o.Options)
	pairs, err := pairs(result, o.From, o.Matched)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if err := m.add(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.change.Newest(), err)
		}
	}
	err = m.writeComponent()
	return m.files, err
}

// crds returns the CustomResourceDefinitions of a side and of the result.
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

// packager makes the patches of a package.
type packager struct {
	options PackageOptions
	maker   *Maker
	taken   FileNames
	files   []pkgmerge.File
	// patches are the patches of the Component, and created the files of new resources.
	patches []Patch
	created []string
}

// add adds the difference between the versions of one resource.
func (m *packager) add(p pair) error {
	switch {
	case p.is == nil:
		t := TargetOf(p.was)
		return m.addPatch(Patch{Form: Kustomize, Target: t, Node: Deletion(t)})
	case p.was == nil:
		name, err := m.write(TargetOf(p.is), withoutManagers(p.is))
		m.created = append(m.created, name)
		return err
	}
	made, differs, err := m.maker.Make(withoutManagers(p.was), withoutManagers(p.is))
	if errors.Is(err, ErrInexpressible) {
		return fmt.Errorf("%w; the form json can express everything", err)
	}
	if err != nil || !differs {
		return err
	}
	if m.options.Annotated && made.Form != JSON {
		made.Node = withoutAnnotations(made.Node, p.was)
	}
	return m.addPatch(made)
}

// addPatch adds a patch. In a Component kustomize selects by a target, in which a cluster-scoped
// resource is in no namespace, whatever its metadata says.
func (m *packager) addPatch(p Patch) error {
	if m.options.Form != JSON {
		_, err := m.write(p.Target, p.Node)
		return err
	}
	if transform.ClusterScoped(yamlnode.Meta(p.Target)) {
		p.Target.Namespace = ""
	}
	m.patches = append(m.patches, p)
	return nil
}

// write adds a file with a document and returns its name.
func (m *packager) write(t Target, n *yaml.Node) (name string, err error) {
	text, err := encode(n)
	name = m.taken.Of(t)
	m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	return name, err
}

// writeComponent adds the Component of form JSON, with which kustomize builds the result (rules/patches: JSON patches).
func (m *packager) writeComponent() error {
	if m.options.withoutNew {
		m.created = nil
	}
	if m.options.Form != JSON || m.patches == nil && m.created == nil {
		return nil
	}
	n, err := Component(m.patches)
	if err != nil {
		return err
	}
	if m.created != nil {
		resources := list()
		for _, f := range m.created {
			resources.Content = append(resources.Content, yamlnode.String(f))
		}
		n.Content = slices.Insert(n.Content, len(n.Content)-2, yamlnode.String("resources"), resources) // patches are the last field
	}
	text, err := encode(n)
	m.files = append(m.files, pkgmerge.File{Name: "kustomization.yaml", Mode: 0o644, Data: text})
	return err
}

// pair has the versions of a resource in a side and in the result. Either may be nil.
type pair struct {
	was, is *yaml.Node
	change  *pkgmerge.Change
}

// pairs returns the resources that may differ and that a patch can find, in the order of the changes.
func pairs(result *pkgmerge.Result, from identity.Side, matched bool) (out []pair, err error) {
	for _, c := range result.Changes {
		if c.Action == pkgmerge.Unchanged && from == identity.Local || !isAddressed(c, from) {
			continue
		}
		versions, is, err := c.Contents()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Newest(), err)
		}
		if was := versions[from]; was != nil || is != nil {
			out = append(out, pair{was, is, c})
		}
	}
	if matched {
		return out, nil
	}
	return byName(out), nil
}

// byName pairs the versions of renamed resources by name: patches address resources by name, so a
// rename is a deletion and an addition, and a swap of names changes both resources.
func byName(pairs []pair) (out []pair) {
	isOf, paired := pairRenamed(pairs)
	for _, p := range pairs {
		if p.keepsName() {
			out = append(out, p)
			continue
		}
		if p.was != nil {
			out = append(out, pair{p.was, isOf[p.was], p.change})
		}
		if p.is != nil && !paired[p.is] {
			out = append(out, pair{nil, p.is, p.change})
		}
	}
	return out
}

// pairRenamed returns, for the versions of renamed resources, the new version that has the name of an old one, and which
// new versions have such an old one.
func pairRenamed(pairs []pair) (isOf map[*yaml.Node]*yaml.Node, paired map[*yaml.Node]bool) {
	renamed := map[Target]*yaml.Node{}
	for _, p := range pairs {
		if p.is != nil && !p.keepsName() {
			renamed[TargetOf(p.is)] = p.is
		}
	}
	isOf, paired = map[*yaml.Node]*yaml.Node{}, map[*yaml.Node]bool{}
	for _, p := range pairs {
		if is := renamed[TargetOf(p.was)]; p.was != nil && !p.keepsName() && is != nil && !paired[is] {
			isOf[p.was], paired[is] = is, true
		}
	}
	return isOf, paired
}

// keepsName reports whether both versions exist and have one name, kind and apiVersion
// (rules/patches: renamed resources).
func (p pair) keepsName() bool {
	return p.was != nil && p.is != nil && TargetOf(p.was) == TargetOf(p.is)
}

// Unaddressed returns the changes to a side's documents that no patch can address: the documents have
// no name, or are Kptfiles, which describe their own package.
func Unaddressed(result *pkgmerge.Result, from identity.Side) (left []*pkgmerge.Change, err error) {
	for _, c := range result.Changes {
		if isAddressed(c, from) {
			continue
		}
		differs, err := differs(c, from)
		if err != nil {
			return nil, err
		}
		if differs {
			left = append(left, c)
		}
	}
	return left, nil
}

// isAddressed reports whether a patch can find a resource, which has a kind and a name. A new resource
// may have a generated name, because it is written whole.
func isAddressed(c *pkgmerge.Change, from identity.Side) bool {
	it := cmp.Or(c.Versions[from], c.Newest())
	if it.Meta.APIVersion == "" || it.Meta.Kind == "" {
		return false
	}
	return it.Meta.Naming == identity.ByName || it.Meta.Naming == identity.ByGenerateName && c.Versions[from] == nil
}

// differs reports whether the result and a side have different versions of a document.
func differs(c *pkgmerge.Change, from identity.Side) (bool, error) {
	versions, is, err := c.Contents()
	was := versions[from]
	if err != nil || was == nil || is == nil {
		return was != is, err
	}
	return !merge.Same(was, is), nil
}

// withoutManagers returns a resource without its managedFields, which the server keeps itself.
func withoutManagers(n *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(n, "metadata")
	if yamlnode.Field(metadata, "managedFields") == nil {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool { return name == "managedFields" }))
}

// withoutAnnotations returns a partial resource that removes the annotations of a resource one by one,
// if it removes all of them at once.
func withoutAnnotations(delta, was *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(delta, "metadata")
	all := yamlnode.Field(metadata, "annotations")
	if all == nil || all.Kind == yaml.MappingNode {
		return delta
	}
	each := yamlnode.EmptyMap()
	for _, name := range yamlnode.Names(yamlnode.Annotations(was)) {
		each = yamlnode.Put(each, nil, name, all)
	}
	return yamlnode.WithField(delta, "metadata", yamlnode.WithField(metadata, "annotations", each))
}
