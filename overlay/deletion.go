package overlay

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// deletion is a patch of a kustomization that deletes resources: `$patch: delete`.
type deletion struct {
	// entry is the entry in the field of the kustomization in the directory.
	dir, field string
	entry      *yaml.Node
	// targets select the resources.
	targets []*yaml.Node
	// isUsed reports that it deletes a resource of the package.
	isUsed bool
}

// deletionsOf returns the entries of a directory's kustomization that do nothing but delete.
func (d documents) deletionsOf(k *yaml.Node, dir string) (all []deletion) {
	for _, field := range [2]string{"patches", "patchesStrategicMerge"} {
		for _, e := range yamlnode.Elements(yamlnode.Field(k, field)) {
			patches := d.patchesOf(field, e, dir)
			if patches == nil || slices.ContainsFunc(patches, keeps) {
				continue
			}
			if target := yamlnode.Field(e, "target"); target != nil {
				patches = []*yaml.Node{target}
			}
			all = append(all, deletion{dir: dir, field: field, entry: e, targets: patches})
		}
	}
	return all
}

// keeps reports whether a patch keeps the resource that it is for.
func keeps(patch *yaml.Node) bool { return yamlnode.Text(yamlnode.Field(patch, "$patch")) != "delete" }

// patchesOf returns the patches of an entry, which are in a file or in the entry itself.
func (d documents) patchesOf(field string, e *yaml.Node, dir string) (patches []*yaml.Node) {
	if names := referencedFiles(field, e); len(names) > 0 {
		return d[path.Join(dir, names[0])]
	}
	stream := yaml.NewDecoder(bytes.NewReader([]byte(e.Value + yamlnode.Text(yamlnode.Field(e, "patch")))))
	for {
		var document yaml.Node
		if yamlnode.Decode(stream, &document) != nil {
			return patches
		}
		patches = append(patches, document.Content...)
	}
}

// deletionOf returns the patch of the tree's kustomizations that deletes a resource, nil if none does. A kustomization
// finds a resource by its name in the file and by the names that kustomizations below gave it.
func (t tree) deletionOf(n *yaml.Node, file string) *deletion {
	names := []yamlnode.Meta{yamlnode.MetaOf(n)}
	for _, k := range slices.Backward(t.kustomizations) {
		if !k.files[file] {
			continue
		}
		for i, del := range k.deletions {
			if slices.ContainsFunc(del.targets, func(target *yaml.Node) bool { return selects(target, n, names) }) {
				k.deletions[i].isUsed = true
				return &k.deletions[i]
			}
		}
		names = append(names, k.rename(names[len(names)-1]))
	}
	return nil
}

// rename returns the name that a kustomization gives a resource.
func (k kustomization) rename(is yamlnode.Meta) yamlnode.Meta {
	text := func(field string) string { return yamlnode.Text(yamlnode.Field(k.node, field)) }
	if namespace := text("namespace"); namespace != "" {
		is.Namespace = namespace
	}
	if !transform.KeepsName(is) {
		is.Name = text("namePrefix") + is.Name + text("nameSuffix")
	}
	return is
}

// selects reports whether a patch without a target, or a target, is for a resource with any of these names.
func selects(target, n *yaml.Node, names []yamlnode.Meta) bool {
	if yamlnode.Field(target, "$patch") != nil {
		id := yamlnode.MetaOf(target)
		return slices.ContainsFunc(names, func(is yamlnode.Meta) bool {
			return is.APIVersion == id.APIVersion && is.Kind == id.Kind && is.Name == id.Name && transform.NamespaceOf(is) == transform.NamespaceOf(id)
		})
	}
	has := func(field string, values func(yamlnode.Meta) string) bool {
		pattern, err := regexp.Compile("^(?:" + yamlnode.Text(yamlnode.Field(target, field)) + ")$")
		return yamlnode.Field(target, field) == nil || err == nil && slices.ContainsFunc(names, func(is yamlnode.Meta) bool { return pattern.MatchString(values(is)) })
	}
	return has("group", yamlnode.Meta.Group) && has("version", yamlnode.Meta.Version) && has("kind", func(is yamlnode.Meta) string { return is.Kind }) &&
		has("name", func(is yamlnode.Meta) string { return is.Name }) && has("namespace", transform.NamespaceOf) &&
		hasAll(yamlnode.Lookup(n, "metadata", "labels"), yamlnode.Field(target, "labelSelector")) &&
		hasAll(yamlnode.Annotations(n), yamlnode.Field(target, "annotationSelector"))
}

// hasAll reports whether a map has the fields that a selector names with their values, as in `app=web,tier=front`.
func hasAll(fields, selector *yaml.Node) bool {
	if yamlnode.Text(selector) == "" {
		return true
	}
	return !slices.ContainsFunc(strings.Split(selector.Value, ","), func(condition string) bool {
		name, value, _ := strings.Cut(strings.ReplaceAll(condition, "==", "="), "=")
		v := yamlnode.Field(fields, strings.TrimSpace(name))
		return v == nil || v.Value != strings.TrimSpace(value)
	})
}

// lists reports whether the top kustomization has the entry of a deletion.
func (t tree) lists(del *deletion) bool {
	return slices.ContainsFunc(yamlnode.Elements(yamlnode.Field(t.root(), del.field)), func(e *yaml.Node) bool { return merge.Same(e, del.entry) })
}

// withoutUndone returns the top kustomization without the deletions that the fork's lacks: the overlay has the resources
// as files.
func (t tree) withoutUndone(fork tree) *yaml.Node {
	out := t.root()
	for _, k := range t.kustomizations {
		for _, del := range k.deletions {
			if k.dir != "." || !del.isUsed || fork.lists(&del) {
				continue
			}
			rest := newList()
			rest.Content = slices.DeleteFunc(slices.Clone(yamlnode.Elements(yamlnode.Field(out, del.field))), func(e *yaml.Node) bool { return e == del.entry })
			out = yamlnode.WithField(out, del.field, rest)
		}
	}
	return out
}
