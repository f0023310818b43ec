package pkgmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Resource is one resource of one version of a package. A merge does not alter it.
type Resource struct {
	// Meta has the resource's kind and name.
	Meta identity.Meta
	// File is the resource's file below the top of its package, with slashes, "" if unknown.
	File string
	// Index is the resource's index in its file.
	Index int
	// Label names the file in messages and results; "" is File.
	Label string
	// Identifier is kpt's annotation upstream-identifier (rules/identity: by upstream-identifier), or "".
	Identifier string
	// Was is origin's version of the resource where the caller knows it, whatever the names are; nil leaves it to the matching.
	Was *Resource

	item *resourcelist.Item
	// document is the index of the resource's document in its file, if the package was made of files.
	document int
	// in is the List that contains the resource, or nil.
	in *listed
	// kept is the parsed form of an item that is parsed once for several readers.
	kept struct{ of, full *resourcelist.Item }
}

// NewResource returns the resource of a tree: a mapping, or a document with one. file is its file below the top of the
// package, with slashes, and index its index in that file. The tree must not be altered any more.
func NewResource(file string, index int, tree *yaml.Node) *Resource {
	return FromItem(file, index, resourcelist.NewItem(tree))
}

// FromItem returns the resource of an item of a ResourceList. It is for the KRM function; other
// programs use NewResource.
func FromItem(file string, index int, it *resourcelist.Item) *Resource {
	return &Resource{
		Meta: withoutValues(identity.MetaOf(it)), File: file, Index: index,
		Identifier: it.Annotation(bookkeeping.UpstreamIdentifier), item: it,
	}
}

// withoutValues removes the name and namespace where they are values, in a document without a kind (rules/files:
// structured files).
func withoutValues(m identity.Meta) identity.Meta {
	if m.Kind == "" {
		m.Namespace, m.Name, m.Naming = "", "", identity.ByPath
	}
	return m
}

// Item returns the resource as an item of a ResourceList, for the KRM function and package apply.
func (r *Resource) Item() *resourcelist.Item { return r.item }

// Tree parses the resource. The tree must not be altered.
func (r *Resource) Tree() (*yaml.Node, error) {
	full, err := r.parsed()
	if err != nil {
		return nil, err
	}
	return full.Node, nil
}

// Keep is Tree for a resource that a merge reads after the caller: it is parsed once, and its tree needs memory as long as
// the resource does. Calls must not overlap with other uses of the resource.
func (r *Resource) Keep() (*yaml.Node, error) {
	full, err := r.parsed()
	if err != nil {
		return nil, err
	}
	r.kept.of, r.kept.full = r.item, full
	return full.Node, nil
}

// YAML returns the resource as the text of a document, with a line break at the end. A document of a
// file keeps its text; else comments and the indentation of lists stay, and empty lines do not.
func (r *Resource) YAML() ([]byte, error) {
	if r.item.IsDocument() {
		return append(bytes.TrimSuffix(bytes.Clone(r.item.Text()), []byte("\n")), '\n'), nil
	}
	text, err := r.item.AsDocument()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return text, nil
}

// String names the resource in errors: its identity and its file, else its line.
func (r *Resource) String() string {
	id := r.ID()
	switch label := r.label(); {
	case label == "":
		return fmt.Sprintf("%s (line %d)", id, r.item.Line)
	case r.Meta.Naming == identity.ByPath:
		return label
	default:
		return fmt.Sprintf("%s in %s", id, label)
	}
}

func (r *Resource) label() string { return cmp.Or(r.Label, r.File) }

// entry returns the resource for matching. The schema tells whether a kind with a namespace is cluster-scoped.
func (r *Resource) entry(pkg string, known *schema.Schema) identity.Entry {
	e := identity.Entry{Meta: r.Meta, Path: r.File, Package: pkg, Identifier: r.Identifier}
	if e.OwnID().Namespace != "" || e.ID().Namespace != "" {
		e.ClusterScoped = known.ClusterScoped(identity.Group(r.Meta.APIVersion), r.Meta.Kind)
	}
	return e
}

// isKptfile reports whether the resource describes a package: its kind is Kptfile, and so is the name
// of its file, if known (rules/kptfiles: Kptfiles).
func (r *Resource) isKptfile() bool {
	return r.Meta.Kind == "Kptfile" && identity.Group(r.Meta.APIVersion) == "kpt.dev" &&
		(r.File == "" || path.Base(r.File) == "Kptfile")
}

func (r *Resource) isCRD() bool {
	return r.Meta.Kind == "CustomResourceDefinition" && identity.Group(r.Meta.APIVersion) == "apiextensions.k8s.io"
}

// ID returns the resource's identity by its own metadata, or by its path if it has no name.
func (r *Resource) ID() identity.ID { return identity.Entry{Meta: r.Meta, Path: r.File}.OwnID() }

// Known returns the parsed text of the resource if it is in memory, else nil.
func (r *Resource) Known() *manifest.Text {
	if r.kept.full == nil || r.kept.of != r.item {
		return nil
	}
	return r.kept.full.ParsedText()
}

// moveText puts the text of the resource into another slice with the same bytes.
func (r *Resource) moveText(place []byte) {
	item := r.item.WithTextIn(place)
	if r.kept.of == r.item {
		r.kept.of = item
	}
	r.item = item
}

func (r *Resource) parsed() (*resourcelist.Item, error) {
	if r.kept.full != nil && r.kept.of == r.item {
		return r.kept.full, nil
	}
	full, err := r.item.Parsed()
	if err != nil && r.item.IsDocument() {
		err = fmt.Errorf("%s: %w", r.label(), err)
	}
	return full, err
}

// withBookkeeping returns the merged tree with the bookkeeping of local's version in local's style:
// each annotation after its nearest predecessor in local that the tree has, else first.
func withBookkeeping(tree, local *yaml.Node, keeps func(string) bool) *yaml.Node {
	source := yamlnode.Annotations(local)
	if source == nil {
		return tree
	}
	target := yamlnode.EmptyMap()
	if has := yamlnode.Annotations(tree); has != nil {
		target.Content = has.Content
	}
	target.Style = source.Style
	before := len(target.Content)
	for i := 0; i+1 < len(source.Content); i += 2 {
		if keeps(source.Content[i].Value) {
			target = yamlnode.InsertAfterSibling(target, source, i)
		}
	}
	if len(target.Content) == before {
		return tree
	}
	metadata := yamlnode.MapOf(yamlnode.Field(tree, "metadata"))
	metadata = yamlnode.Put(metadata, yamlnode.Field(local, "metadata"), "annotations", target)
	return yamlnode.Put(tree, local, "metadata", metadata)
}
