package patch

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// PackageOptions say which patches of a package are wanted.
type PackageOptions struct {
	// From is the side whose resources the patches apply to.
	From identity.Side
	Options
	// Taken are names of files that no patch may have.
	Taken FileNames
	// Matched has a patch apply to the resource that was matched, whatever the result calls it.
	// Else a patch finds its resource by apiVersion, kind and name.
	Matched bool
	// Annotated says that the documents get annotations. Then a patch removes the annotations
	// of a resource one by one: a null in place of all of them is lost beside others.
	Annotated bool
	// unlisted keeps the files of new resources out of the Component of form JSON: there are
	// none.
	unlisted bool
}

// Document is a patch or a new resource.
type Document struct {
	// File is a name that no other document of the package has.
	File string
	Node *yaml.Node
}

// Package makes the patches of a merged package, in the order of its changes: the patch of
// each resource that changed, each new resource, and `$patch: delete` for each that is gone.
// Of form JSON the patches are one kustomize Component, the last document. A change that the
// form cannot say is an error. Changes that no patch finds are left out: see Unaddressed.
func Package(result *pkgmerge.Result, o PackageOptions) ([]Document, error) {
	m := &packager{options: o, taken: FileNames{"kustomization": true}}
	for name := range o.Taken {
		m.taken[name] = true
	}
	var err error
	if m.options.CRDs, err = crds(result, o.From); err != nil {
		return nil, err
	}
	m.maker = New(m.options.Options)
	pairs, err := pairs(result, o.From, o.Matched)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		if err := m.add(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.change.Newest(), err)
		}
	}
	err = m.component()
	return m.documents, err
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

// packager makes the patches of a package.
type packager struct {
	options   PackageOptions
	maker     *Maker
	taken     FileNames
	documents []Document
	// inComponent are the patches of the Component, and created the files of new resources.
	inComponent []Patch
	created     []string
}

// add adds what makes the result of one resource.
func (m *packager) add(p pair) error {
	switch {
	case p.is == nil:
		t := TargetOf(p.was)
		m.patch(Patch{Form: Kustomize, Target: t, Node: Deletion(t)})
		return nil
	case p.was == nil:
		m.created = append(m.created, m.document(TargetOf(p.is), withoutManagers(p.is)))
		return nil
	}
	made, differs, err := m.maker.Make(withoutManagers(p.was), withoutManagers(p.is))
	if unsayable := (*Unsayable)(nil); errors.As(err, &unsayable) {
		return fmt.Errorf("%w; json says everything", err)
	}
	if err != nil || !differs {
		return err
	}
	if m.options.Annotated && made.Form != JSON {
		made.Node = withoutAnnotations(made.Node, p.was)
	}
	m.patch(made)
	return nil
}

// patch adds a patch. For kustomize, which selects by the target of a Component, a resource of the
// cluster is in no namespace, whatever its metadata says.
func (m *packager) patch(made Patch) {
	if m.options.Form == JSON {
		if transform.ClusterScoped(yamlnode.Meta(made.Target)) {
			made.Target.Namespace = ""
		}
		m.inComponent = append(m.inComponent, made)
		return
	}
	m.document(made.Target, made.Node)
}

// document adds a document and returns its file.
func (m *packager) document(t Target, n *yaml.Node) string {
	file := m.taken.Of(t)
	m.documents = append(m.documents, Document{File: file, Node: n})
	return file
}

// component adds the Component of form json, which kustomize builds the result with
// (rules/patches: JSON patches).
func (m *packager) component() error {
	if m.options.Form != JSON || m.inComponent == nil && (m.created == nil || m.options.unlisted) {
		return nil
	}
	if m.options.unlisted {
		m.created = nil
	}
	n, err := Component(m.inComponent)
	if err != nil {
		return err
	}
	m.documents = append(m.documents, Document{File: "kustomization.yaml", Node: listing(n, m.created)})
	return nil
}

// pair is a resource as a side has it and as the result does. Either may be nil.
type pair struct {
	was, is *yaml.Node
	change  *pkgmerge.Change
}

// pairs are the resources that may differ and that a patch finds, in the order of the changes.
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

// byName pairs anew what the result calls otherwise than the side does: to whoever applies
// patches, who has the name is who is patched. What is then alone goes or comes.
func byName(pairs []pair) (out []pair) {
	renamed := map[Target]*yaml.Node{}
	for _, p := range pairs {
		if p.is != nil && !p.keepsName() {
			renamed[TargetOf(p.is)] = p.is
		}
	}
	isOf, paired := map[*yaml.Node]*yaml.Node{}, map[*yaml.Node]bool{}
	for _, p := range pairs {
		if is := renamed[TargetOf(p.was)]; p.was != nil && !p.keepsName() && is != nil && !paired[is] {
			isOf[p.was], paired[is] = is, true
		}
	}
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

// keepsName reports whether both are there and have one name, kind and apiVersion
// (rules/patches: renamed resources).
func (p pair) keepsName() bool {
	return p.was != nil && p.is != nil && TargetOf(p.was) == TargetOf(p.is)
}

// Unaddressed are the changes that no patch finds, of documents that differ from a side's: they
// have no name, or are Kptfiles, which are about the package that they lie in.
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

// isAddressed reports whether a patch finds a resource: it has a kind and a name. One that is
// new may have its name generated, as it comes out whole.
func isAddressed(c *pkgmerge.Change, from identity.Side) bool {
	it := c.Versions[from]
	if it == nil {
		it = c.Newest()
	}
	if it.Meta.APIVersion == "" || it.Meta.Kind == "" {
		return false
	}
	return it.Meta.Naming == identity.ByName || it.Meta.Naming == identity.ByGenerateName && c.Versions[from] == nil
}

// differs reports whether the result has another version of a document than a side.
func differs(c *pkgmerge.Change, from identity.Side) (bool, error) {
	versions, is, err := c.Contents()
	was := versions[from]
	if err != nil || was == nil || is == nil {
		return was != is, err
	}
	return !merge.Same(was, is), nil
}

// withoutManagers is a resource without its managedFields, which the server keeps itself.
func withoutManagers(n *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(n, "metadata")
	if yamlnode.Field(metadata, "managedFields") == nil {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool { return name == "managedFields" }))
}

// withoutAnnotations is a partial resource that takes the annotations of a resource off one by
// one, if it takes them off all at once.
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

// listing is a Component that lists files as resources, before its patches.
func listing(component *yaml.Node, files []string) *yaml.Node {
	if files == nil {
		return component
	}
	resources := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, f := range files {
		resources.Content = append(resources.Content, yamlnode.String(f))
	}
	out := *component
	at := len(out.Content) - 2 // patches are the last field
	out.Content = slices.Insert(slices.Clone(out.Content), at, yamlnode.String("resources"), resources)
	return &out
}
