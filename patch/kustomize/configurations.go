package kustomize

import (
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// fieldSpec is a field that a configuration adds to those of a transformer: one of some kinds, at a path with slashes.
type fieldSpec struct{ transformer, group, version, kind, path string }

func newFieldSpec(transformer string, n *yamlnodes.Node) fieldSpec {
	return fieldSpec{transformer, yamlnode.TextAt(n, "group"), yamlnode.TextAt(n, "version"), yamlnode.TextAt(n, "kind"), yamlnode.TextAt(n, "path")}
}

// configure adds the fields of the configurations of a kustomization, which count for all that include it, too.
func (b *Builder) configure(k Kustomization) error {
	for _, n := range k.Entries("configurations") {
		all, err := Parse(k.Tree, path.Join(k.Dir, n.Value))
		if err != nil {
			return err
		}
		for _, one := range all {
			for key, specs := range yamlnode.Pairs(one) {
				for _, s := range yamlnode.Elements(specs) {
					b.configured = append(b.configured, newFieldSpec(key.Value, s))
				}
			}
		}
	}
	return nil
}

// isOf reports whether an item is of the kinds of the field, which is one of a transformer.
func (s fieldSpec) isOf(i *Item, transformer string) bool {
	is := i.Names[len(i.Names)-1]
	return s.transformer == transformer && isOne(s.group, is.Group()) && isOne(s.version, is.Version()) && isOne(s.kind, is.Kind)
}

// isConfigured reports whether configurations add a field of an item to those of a transformer.
func (b *Builder) isConfigured(i *Item, transformer string) bool {
	return slices.ContainsFunc(b.configured, func(s fieldSpec) bool { return s.isOf(i, transformer) })
}

// isImageConfigured reports whether configurations add a field to those of images that an entry of images changes.
func (b *Builder) isImageConfigured(i *Item, by transform.Image) bool {
	var has func(n *yamlnodes.Node, at []string) bool
	has = func(n *yamlnodes.Node, at []string) bool {
		n = yamlnode.Resolve(n)
		switch {
		case n == nil:
			return false
		case n.Kind == yamlnodes.SequenceNode:
			return slices.ContainsFunc(n.Content, func(e *yamlnodes.Node) bool { return has(e, at) })
		case len(at) == 0:
			return by.Matches(n.Value)
		}
		return has(yamlnode.Field(n, strings.TrimSuffix(at[0], "[]")), at[1:])
	}
	return slices.ContainsFunc(b.configured, func(s fieldSpec) bool { return s.isOf(i, "images") && has(i.Node, strings.Split(s.path, "/")) })
}

// forgetConfigured notes that fields of configurations are not known whose transformers a kustomization has.
func (b *Builder) forgetConfigured(k Kustomization, items []*Item) {
	isLabeled := len(k.Entries("labels")) > 0 || yamlnode.Field(k.Node, "commonLabels") != nil
	for _, s := range b.configured {
		if yamlnode.Field(k.Node, s.transformer) == nil && !(isLabeled && strings.HasSuffix(strings.ToLower(s.transformer), "labels")) ||
			s.kind == "" && s.path == "metadata/name" { // which kustomize has without it
			continue
		}
		s.forget(items)
	}
}

// forget notes that the values of the field are not known.
func (s fieldSpec) forget(items []*Item) {
	for _, i := range items {
		if s.isOf(i, s.transformer) {
			i.forget(writtenBy(strings.ReplaceAll(strings.ReplaceAll(s.path, "[]", ".[]"), "/", ".")))
		}
	}
}

// forgetTransformed notes that the values are not known that the transformers of a kustomization write: the fields that a file of kustomize's
// own for labels or annotations names, and anything for another one.
func forgetTransformed(k Kustomization, items []*Item) {
	for _, entry := range k.Entries("transformers") {
		all, err := Parse(k.Tree, path.Join(k.Dir, entry.Value))
		if err != nil { // a directory, or a text
			all = []*yamlnodes.Node{entry}
		}
		for _, n := range all {
			m := yamlnode.MetaOf(n)
			if m.APIVersion != "builtin" || m.Kind != "LabelTransformer" && m.Kind != "AnnotationsTransformer" {
				fieldSpec{path: "metadata/name"}.forget(items)
			}
			for _, s := range yamlnode.Elements(yamlnode.Field(n, "fieldSpecs")) {
				newFieldSpec("", s).forget(items)
			}
		}
	}
}
