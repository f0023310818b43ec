package review

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Bases returns a remote base: its files, and the directory or file in them that is the base. Other files may be there, too, to which it
// refers.
type Bases func(entry string) (files Files, name string, err error)

// item is a resource that a kustomization builds.
type item struct {
	node *yamlnodes.Node
	// names are its metadata as it was read, and after each change of names.
	names []yamlnode.Meta
	// isBumped says that it comes from the base that has another version.
	isBumped bool
	// unknown are the paths of fields whose values are not known, such as those that replacements write; "" is all of them.
	unknown []string
}

func newItem(n *yamlnodes.Node) *item {
	return &item{node: n, names: []yamlnode.Meta{yamlnode.MetaOf(n)}}
}

// with returns the item with another node, or nil without one.
func (i item) with(n *yamlnodes.Node) *item {
	if i.node = n; n == nil {
		return nil
	}
	if m := yamlnode.MetaOf(n); m != i.names[len(i.names)-1] {
		i.names = append(slices.Clone(i.names), m)
	}
	return &i
}

// kustomization is one that is built, or a part of another manifest with the fields of one.
type kustomization struct {
	file, dir string
	node      *yamlnodes.Node
	tree      Files
	// isOwn says that it is the user's, so that its fields are layers.
	isOwn bool
}

// forget notes that the values at paths of an item are not known.
func (i *item) forget(paths ...string) { i.unknown = append(slices.Clone(i.unknown), paths...) }

func (k kustomization) field(name string) []*yamlnodes.Node {
	return yamlnode.Elements(yamlnode.Field(k.node, name))
}

// builder builds kustomizations as kustomize does, as far as layers see it: hashes of names and the references to names are left out.
type builder struct {
	bases Bases
	known *schema.Schema
	// side is 0 for the old version and 1 for the new one. version returns the entry that stands for one of the new version on the side, and
	// whether the base of the entry was bumped.
	side    int
	version func(k kustomization, entry string) (is string, isBumped bool)
	// local returns the files in place of those of a directory that is a package with another version; nil if there is none.
	local func(name string) (in Files, is bool)
	// isIncomplete says that some resources are not known, such as those of other remote bases.
	isIncomplete bool
	// rendered is the number of helmCharts whose render is among the items.
	rendered int
	uses     *uses
	depth    int
}

// maxDepth is the number of kustomizations above each other.
const maxDepth = 30

// directory builds the kustomization of a directory.
func (b *builder) directory(in Files, dir string, isOwn bool) ([]*item, error) {
	k, err := readKustomization(in, dir)
	if err != nil {
		return nil, err
	}
	k.isOwn = isOwn
	return b.build(k, nil)
}

// build builds a kustomization; a component gets the items before it.
func (b *builder) build(k kustomization, items []*item) ([]*item, error) {
	if b.depth++; b.depth > maxDepth {
		return nil, errors.New("kustomizations refer to each other in a circle, or are too deep")
	}
	defer func() { b.depth-- }()
	for _, field := range []string{"resources", "bases"} {
		for _, n := range k.field(field) {
			found, err := b.entry(k, n.Value)
			if err != nil {
				return nil, err
			}
			items = append(items, found...)
		}
	}
	items = b.generate(k, items)
	for _, n := range k.field("components") {
		var err error
		if items, err = b.component(k, n.Value, items); err != nil {
			return nil, err
		}
	}
	return b.transform(k, items)
}

// entry builds an entry of resources: a file, a directory, or a remote base.
func (b *builder) entry(k kustomization, entry string) ([]*item, error) {
	if !isRemote(entry) {
		name := path.Join(k.dir, entry)
		if b.local != nil && k.isOwn {
			if in, is := b.local(name); is {
				return b.bumped(in, name, k)
			}
		}
		if k.tree.has(name) {
			return resources(k.tree, name)
		}
		return b.directory(k.tree, name, k.isOwn)
	}
	isBumped := false
	if k.isOwn {
		if entry, isBumped = b.version(k, entry); !isBumped {
			b.isIncomplete = true
			return nil, nil
		}
	}
	files, name, err := b.bases(entry)
	if err != nil {
		return nil, err
	}
	items, err := b.bumped(files, name, k)
	for _, i := range items {
		i.isBumped = isBumped
	}
	return items, err
}

// bumped builds a base: a file, or a directory that k refers to.
func (b *builder) bumped(in Files, name string, k kustomization) (items []*item, err error) {
	if in.has(name) {
		items, err = resources(in, name)
	} else if items, err = b.directory(in, name, false); errors.Is(err, errNoKustomization) && (k.isFlux() || b.local != nil) {
		items, err = everything(in, name)
	}
	for _, i := range items {
		i.isBumped = true
	}
	return items, err
}

// component applies a component.
func (b *builder) component(k kustomization, entry string, items []*item) ([]*item, error) {
	in, name, isOwn := k.tree, path.Join(k.dir, entry), k.isOwn
	if isRemote(entry) {
		isBumped := false
		if k.isOwn {
			if entry, isBumped = b.version(k, entry); !isBumped {
				for _, i := range items { // it may change anything
					i.forget("")
				}
				b.isIncomplete = true
				return items, nil
			}
		}
		var err error
		if in, name, err = b.bases(entry); err != nil {
			return nil, err
		}
		isOwn = false
	}
	c, err := readKustomization(in, name)
	if err != nil {
		return nil, err
	}
	c.isOwn = isOwn
	return b.build(c, items)
}

// isRemote reports whether an entry is no file or directory beside the kustomization.
func isRemote(entry string) bool { return transform.IsRemote(entry) || strings.Contains(entry, "://") }

// resources returns the resources of a file.
func resources(in Files, name string) (items []*item, err error) {
	all, err := parse(in, name)
	return itemsOf(all), err
}

// itemsOf returns the resources among documents, also those of lists.
func itemsOf(all []*yamlnodes.Node) (items []*item) {
	var add func(n *yamlnodes.Node)
	add = func(n *yamlnodes.Node) {
		switch {
		case transform.IsList(n):
			for _, below := range yamlnode.Elements(yamlnode.Field(n, "items")) {
				add(below)
			}
		case transform.IsResource(n):
			items = append(items, newItem(n))
		}
	}
	for _, n := range all {
		add(n)
	}
	return items
}

// generate adds the objects of generators, whose contents are not known.
func (b *builder) generate(k kustomization, items []*item) []*item {
	for field, kind := range map[string]string{"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"} {
		for _, n := range k.field(field) {
			text := "apiVersion: v1\nkind: " + kind + "\nmetadata:\n  name: " + strconv.Quote(yamlnode.TextAt(n, "name")) + "\n"
			if namespace := yamlnode.TextAt(n, "namespace"); namespace != "" {
				text += "  namespace: " + strconv.Quote(namespace) + "\n"
			}
			all, _ := yamlnode.Documents([]byte(text)) // it is none of the user's
			for _, made := range all {
				i := newItem(made)
				found := slices.IndexFunc(items, func(other *item) bool { return other.isCalled(i.names[0]) })
				if found >= 0 {
					i = items[found]
				} else {
					items = append(items, i)
				}
				i.forget("")
			}
		}
	}
	if len(k.field("generators"))+len(k.field("helmCharts"))+len(k.field("helmChartInflationGenerator")) > b.rendered {
		b.isIncomplete = true
	}
	return items
}

// transform applies the fields of a kustomization to items, in kustomize's order.
func (b *builder) transform(k kustomization, items []*item) (out []*item, err error) {
	if items, err = b.patches(k, items, "patchesStrategicMerge", "patches"); err != nil {
		return nil, err
	}
	if namespace := yamlnode.TextAt(k.node, "namespace"); namespace != "" {
		items = each(items, func(n *yamlnodes.Node) *yamlnodes.Node {
			return transform.WithNamespace(n, func(string) string { return namespace })
		})
	}
	prefix, suffix := yamlnode.TextAt(k.node, "namePrefix"), yamlnode.TextAt(k.node, "nameSuffix")
	if prefix+suffix != "" {
		items = each(items, func(n *yamlnodes.Node) *yamlnodes.Node {
			m := yamlnode.MetaOf(n)
			if transform.KeepsName(m) {
				return n
			}
			return yamlnode.Set(n, nil, yamlnode.String(prefix+m.Name+suffix), "metadata", "name")
		})
	}
	items = b.labels(k, items)
	if items, err = b.patches(k, items, "patchesJson6902"); err != nil {
		return nil, err
	}
	items = b.images(k, b.replicas(k, items))
	if err := b.replacements(k, items); err != nil {
		return nil, err
	}
	if len(k.field("transformers")) > 0 {
		for _, i := range items {
			i.forget("")
		}
	}
	return items, nil
}

// each changes the nodes of items, which stay apart from the earlier ones.
func each(items []*item, change func(*yamlnodes.Node) *yamlnodes.Node) (out []*item) {
	for _, i := range items {
		out = append(out, i.with(change(i.node)))
	}
	return out
}

// labels sets common labels and annotations. What they do to selectors is not known.
func (b *builder) labels(k kustomization, items []*item) []*item {
	set := func(field string, entries *yamlnodes.Node, templates, selectors bool) {
		for key, v := range yamlnode.Pairs(entries) {
			one := transform.Metadata{Field: field, Key: key.Value, Value: v, Templates: templates}
			items = each(items, one.Apply)
		}
		for _, i := range items {
			if selectors && entries != nil {
				i.forget("spec.selector", "spec.jobTemplate.spec.selector", "spec.template.spec.affinity", "spec.template.spec.topologySpreadConstraints", "spec.podSelector")
			}
		}
	}
	set("labels", yamlnode.Field(k.node, "commonLabels"), true, true)
	for _, n := range k.field("labels") {
		selectors := yamlnode.TextAt(n, "includeSelectors") == "true"
		set("labels", yamlnode.Field(n, "pairs"), selectors || yamlnode.TextAt(n, "includeTemplates") == "true", selectors)
	}
	set("annotations", yamlnode.Field(k.node, "commonAnnotations"), true, false)
	return items
}

// hides reports whether the value at a path is not known.
func (i *item) hides(path string) bool {
	return slices.ContainsFunc(i.unknown, func(unknown string) bool {
		return unknown == "" || path == unknown || strings.HasPrefix(path, unknown+".") || strings.HasPrefix(unknown, path+".")
	})
}
