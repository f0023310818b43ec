package pkgmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Resource is one resource of one version of a package. A merge does not alter
// it.
type Resource struct {
	// Meta is what the resource says of itself.
	Meta identity.Meta
	// File is the resource's file below the top of its package, with slashes, ""
	// if that is unknown.
	File string
	// Index is the resource's place in its file, from 0.
	Index int
	// Label is what messages and results call the file; "" is File.
	Label string
	// Identifier is kpt's annotation upstream-identifier (rules/identity: by
	// upstream-identifier), "" if there is none.
	Identifier string

	item *resourcelist.Item
	// document is the index of the resource's document in its file, where the package
	// was made of files.
	document int
	// in is the List that the resource is an item of, nil if it stands alone.
	in *listed
}

// NewResource returns the resource of a tree: a mapping, or a document with one.
// file is its file below the top of the package, with slashes, and index its place
// in that file, from 0. The tree must not be altered any more.
func NewResource(file string, index int, tree *yaml.Node) *Resource {
	return FromItem(file, index, resourcelist.NewItem(tree))
}

// FromItem returns the resource of an item of a ResourceList. It is for the KRM
// function; other programs have NewResource.
func FromItem(file string, index int, it *resourcelist.Item) *Resource {
	return &Resource{
		Meta: metaOf(it), File: file, Index: index,
		Identifier: it.Annotation(bookkeeping.UpstreamIdentifier), item: it,
	}
}

// metaOf is what an item says of itself.
func metaOf(it *resourcelist.Item) identity.Meta {
	said, ok := it.Said()
	if !ok {
		return identity.ReadMeta(it.Head())
	}
	m := identity.Meta{
		APIVersion: said.APIVersion, Kind: said.Kind, Namespace: said.Namespace, Name: said.Name, Comment: said.Comment,
	}
	return m.Named(said.GenerateName)
}

// Item is the resource as an item of a ResourceList, for the KRM function.
func (r *Resource) Item() *resourcelist.Item { return r.item }

// Annotation is the text of one of the resource's annotations, "" if it has none of that name.
func (r *Resource) Annotation(name string) string { return r.item.Annotation(name) }

// Tree parses the resource. The tree must not be altered.
func (r *Resource) Tree() (*yaml.Node, error) {
	full, err := r.parsed()
	if err != nil {
		return nil, err
	}
	return full.Node, nil
}

// YAML is the resource as the text of a document: of a document of a file that is its
// text, with a line break at the end; else its comments stay, and so does the
// indentation of its lists, and empty lines do not.
func (r *Resource) YAML() ([]byte, error) {
	item := r.item
	if item.IsDocument() {
		return append(bytes.TrimSuffix(bytes.Clone(item.Text()), []byte("\n")), '\n'), nil
	}
	text, err := item.AsDocument()
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

// Location says where the resource is, for messages: its file, or its line in the input.
func (r *Resource) Location() string {
	if label := r.label(); label != "" {
		return fmt.Sprintf("in %s at index %d", label, r.Index)
	}
	return fmt.Sprintf("in line %d", r.item.Line)
}

func (r *Resource) label() string { return cmp.Or(r.Label, r.File) }

// entry is the resource as matching sees it. The schema is asked whether the kind is in
// namespaces where the resource has one.
func (r *Resource) entry(pkg string, known *schema.Schema) identity.Entry {
	e := identity.Entry{Meta: r.Meta, Path: r.File, Package: pkg, Identifier: r.Identifier}
	if e.OwnID().Namespace != "" || e.ID().Namespace != "" {
		e.ClusterScoped = known.ClusterScoped(identity.Group(r.Meta.APIVersion), r.Meta.Kind)
	}
	return e
}

// isKptfile reports whether the resource describes a package: one of that kind in a
// file of that name, if the file is known (rules/kptfiles: Kptfiles).
func (r *Resource) isKptfile() bool {
	return r.Meta.Kind == "Kptfile" && identity.Group(r.Meta.APIVersion) == "kpt.dev" &&
		(r.File == "" || path.Base(r.File) == "Kptfile")
}

func (r *Resource) isCRD() bool {
	return r.Meta.Kind == "CustomResourceDefinition" && identity.Group(r.Meta.APIVersion) == "apiextensions.k8s.io"
}

// ID is the resource's identity by its own metadata, or by its path where that is
// what identifies it.
func (r *Resource) ID() identity.ID {
	return identity.Entry{Meta: r.Meta, Path: r.File}.OwnID()
}

// parsed is the resource's item with its node.
func (r *Resource) parsed() (*resourcelist.Item, error) {
	full, err := r.item.Parsed()
	if err != nil && r.item.IsDocument() {
		err = &unreadableError{resource: r, text: fmt.Sprintf("%s: %s", r.label(), err)}
	}
	return full, err
}

// unreadableError is the error of a resource that does not merge by structure.
type unreadableError struct {
	resource *Resource
	text     string
}

func (e *unreadableError) Error() string { return e.text }

// withBookkeeping puts the bookkeeping of was, local's version, back on the
// merged tree, in local's style: each annotation after its nearest preceding
// sibling in was that the tree has, else first.
func withBookkeeping(tree, was *yaml.Node, comesOut func(string) bool) *yaml.Node {
	source := yamlnode.Annotations(was)
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
		if comesOut(source.Content[i].Value) {
			target = yamlnode.InsertAfterSibling(target, source, i)
		}
	}
	if len(target.Content) == before {
		return tree
	}
	metadata := yamlnode.Field(tree, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = yamlnode.EmptyMap()
	}
	metadata = yamlnode.Put(metadata, yamlnode.Field(was, "metadata"), "annotations", target)
	return yamlnode.Put(tree, was, "metadata", metadata)
}
