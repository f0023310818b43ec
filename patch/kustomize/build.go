package kustomize

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

// Item is a resource that a kustomization builds.
type Item struct {
	Node *yamlnodes.Node
	// Read is the node as it was read, before any layer.
	Read *yamlnodes.Node
	// Names are its metadata as it was read, and after each change of names.
	Names []yamlnode.Meta
	// IsBumped says that it comes from the base that has another version.
	IsBumped bool
	// unknown are the paths of fields whose values are not known, such as the targets of replacements; "" is all of them.
	unknown []string
}

func newItem(n *yamlnodes.Node) *Item {
	return &Item{Node: n, Read: n, Names: []yamlnode.Meta{yamlnode.MetaOf(n)}}
}

// with returns the item with another node, or nil without one.
func (i Item) with(n *yamlnodes.Node) *Item {
	if i.Node = n; n == nil {
		return nil
	}
	if m := yamlnode.MetaOf(n); m != i.Names[len(i.Names)-1] {
		i.Names = append(slices.Clone(i.Names), m)
	}
	return &i
}

// Kustomization is one that is built, or a part of another manifest with the fields of one.
type Kustomization struct {
	File, Dir string
	Node      *yamlnodes.Node
	Tree      Files
	// IsOwn says that it is the user's, so that its fields are layers.
	IsOwn bool
}

// forget notes that the values at paths of an item are not known.
func (i *Item) forget(paths ...string) { i.unknown = append(slices.Clone(i.unknown), paths...) }

// Entries returns the elements of a field.
func (k Kustomization) Entries(name string) []*yamlnodes.Node {
	return yamlnode.Elements(yamlnode.Field(k.Node, name))
}

// Builder builds kustomizations as kustomize does, as far as layers see it: hashes of names and the references to names are left out.
type Builder struct {
	Bases Bases
	Known *schema.Schema
	// Side is 0 for the old version and 1 for the new one. Version returns the entry that stands for one of the new version on the side, and
	// whether the base of the entry was bumped; nil if no base was.
	Side    int
	Version func(k Kustomization, entry string) (is string, isBumped bool)
	// Local returns the files in place of those of a directory that is a package with another version; nil if there is none.
	Local func(name string) (in Files, is bool)
	// isIncomplete says that some resources are not known, such as those of other remote bases.
	isIncomplete bool
	// Charts returns the resources of the helmCharts of a kustomization, as far as they are rendered, and the number of these charts; nil if
	// there are none.
	Charts func(k Kustomization) (items []*Item, rendered int, err error)
	Uses   *Uses
	depth  int
	// configured are the fields of the configurations that count.
	configured []fieldSpec
}

// MaxDepth is the number of kustomizations above each other.
const MaxDepth = 30

// version returns the entry that stands for one on the side, and whether its base was bumped.
func (b *Builder) version(k Kustomization, entry string) (is string, isBumped bool) {
	if b.Version == nil {
		return entry, false
	}
	return b.Version(k, entry)
}

// Directories builds the user's kustomizations of some directories, which the uses then know.
func (b *Builder) Directories(in Files, dirs []string) error {
	for _, dir := range dirs {
		if _, err := b.Directory(in, dir, true); err != nil {
			return err
		}
	}
	return nil
}

// Directory builds the kustomization of a directory.
func (b *Builder) Directory(in Files, dir string, isOwn bool) ([]*Item, error) {
	k, err := Read(in, dir)
	if err != nil {
		return nil, err
	}
	k.IsOwn = isOwn
	outer := b.configured
	b.configured = nil
	items, err := b.Build(k, nil)
	b.configured = append(outer, b.configured...)
	return items, err
}

// Build builds a kustomization; a component gets the items before it.
func (b *Builder) Build(k Kustomization, items []*Item) ([]*Item, error) {
	if b.depth++; b.depth > MaxDepth {
		return nil, errors.New("kustomizations refer to each other in a circle, or are too deep")
	}
	defer func() { b.depth-- }()
	for _, field := range []string{"resources", "bases"} {
		for _, n := range k.Entries(field) {
			found, err := b.Resources(k, n.Value)
			if err != nil {
				return nil, err
			}
			items = append(items, found...)
		}
	}
	if err := b.configure(k); err != nil {
		return nil, err
	}
	items, err := b.generate(k, items)
	if err != nil {
		return nil, err
	}
	for _, n := range k.Entries("components") {
		if items, err = b.component(k, n.Value, items); err != nil {
			return nil, err
		}
	}
	return b.Transform(k, items)
}

// Over builds a kustomization that lies over a base alone, whose components are in the base, as those of Flux and Argo CD are.
func (b *Builder) Over(k Kustomization, entry string) ([]*Item, error) {
	items, err := b.Resources(k, entry)
	if err != nil {
		return nil, err
	}
	if components := k.Entries("components"); len(components) > 0 {
		entry, _ = b.version(k, entry)
		in, name, err := b.Bases(entry)
		if err != nil {
			return nil, err
		}
		for _, n := range components {
			if items, err = b.component(Kustomization{File: k.File, Dir: name, Tree: in}, n.Value, items); err != nil {
				return nil, err
			}
		}
	}
	for _, i := range items {
		i.IsBumped = true
	}
	return b.Transform(k, items)
}

// Resources builds an entry of resources: a file, a directory, or a remote base.
func (b *Builder) Resources(k Kustomization, entry string) ([]*Item, error) {
	if !IsRemote(entry) {
		name := path.Join(k.Dir, entry)
		if b.Local != nil && k.IsOwn {
			if in, is := b.Local(name); is {
				return b.bumped(in, name, k)
			}
		}
		if k.Tree.Has(name) {
			return resources(k.Tree, name)
		}
		return b.Directory(k.Tree, name, k.IsOwn)
	}
	isBumped := false
	if k.IsOwn {
		if entry, isBumped = b.version(k, entry); !isBumped {
			b.isIncomplete = true
			return nil, nil
		}
	}
	files, name, err := b.Bases(entry)
	if err != nil {
		return nil, err
	}
	items, err := b.bumped(files, name, k)
	for _, i := range items {
		i.IsBumped = isBumped
	}
	return items, err
}

// bumped builds a base: a file, or a directory that k refers to.
func (b *Builder) bumped(in Files, name string, k Kustomization) (items []*Item, err error) {
	if in.Has(name) {
		items, err = resources(in, name)
	} else if items, err = b.Directory(in, name, false); errors.Is(err, errNoKustomization) && (k.isFlux() || b.Local != nil) {
		items, err = everything(in, name)
	}
	for _, i := range items {
		i.IsBumped = true
	}
	return items, err
}

// component applies a component.
func (b *Builder) component(k Kustomization, entry string, items []*Item) ([]*Item, error) {
	in, name, isOwn := k.Tree, path.Join(k.Dir, entry), k.IsOwn
	if IsRemote(entry) {
		isBumped := false
		if k.IsOwn {
			if entry, isBumped = b.version(k, entry); !isBumped {
				for _, i := range items { // it may change anything
					i.forget("")
				}
				b.isIncomplete = true
				return items, nil
			}
		}
		var err error
		if in, name, err = b.Bases(entry); err != nil {
			return nil, err
		}
		isOwn = false
	}
	c, err := Read(in, name)
	if err != nil {
		return nil, err
	}
	c.IsOwn = isOwn
	return b.Build(c, items)
}

// IsRemote reports whether an entry is no file or directory beside the kustomization.
func IsRemote(entry string) bool { return transform.IsRemote(entry) || strings.Contains(entry, "://") }

// resources returns the resources of a file.
func resources(in Files, name string) (items []*Item, err error) {
	all, err := Parse(in, name)
	return Items(all), err
}

// Items returns the resources among documents, also those of lists.
func Items(all []*yamlnodes.Node) (items []*Item) {
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

// generate adds the objects of generators, whose contents are not known unless charts are rendered.
func (b *Builder) generate(k Kustomization, items []*Item) ([]*Item, error) {
	rendered := 0
	if b.Charts != nil {
		found, n, err := b.Charts(k)
		if err != nil {
			return nil, err
		}
		items, rendered = append(items, found...), n
	}
	for field, kind := range map[string]string{"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"} {
		for _, n := range k.Entries(field) {
			text := "apiVersion: v1\nkind: " + kind + "\nmetadata:\n  name: " + strconv.Quote(yamlnode.TextAt(n, "name")) + "\n"
			if namespace := yamlnode.TextAt(n, "namespace"); namespace != "" {
				text += "  namespace: " + strconv.Quote(namespace) + "\n"
			}
			all, _ := yamlnode.Documents([]byte(text)) // it is none of the user's
			for _, made := range all {
				i := newItem(made)
				found := slices.IndexFunc(items, func(other *Item) bool { return other.isCalled(i.Names[0]) })
				if found >= 0 {
					i = items[found]
				} else {
					items = append(items, i)
				}
				i.forget("")
			}
		}
	}
	if len(k.Entries("generators"))+len(k.Entries("helmCharts"))+len(k.Entries("helmChartInflationGenerator")) > rendered {
		b.isIncomplete = true
	}
	return items, nil
}

// Transform applies the fields of a kustomization to items, in kustomize's order.
func (b *Builder) Transform(k Kustomization, items []*Item) (out []*Item, err error) {
	if items, err = b.patches(k, items, "patchesStrategicMerge", "patches"); err != nil {
		return nil, err
	}
	if namespace := yamlnode.TextAt(k.Node, "namespace"); namespace != "" {
		items = each(items, func(n *yamlnodes.Node) *yamlnodes.Node {
			return transform.WithNamespace(n, func(string) string { return namespace })
		})
	}
	prefix, suffix := yamlnode.TextAt(k.Node, "namePrefix"), yamlnode.TextAt(k.Node, "nameSuffix")
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
	b.forgetConfigured(k, items)
	forgetTransformed(k, items)
	return items, nil
}

// each changes the nodes of items, which stay apart from the earlier ones.
func each(items []*Item, change func(*yamlnodes.Node) *yamlnodes.Node) (out []*Item) {
	for _, i := range items {
		out = append(out, i.with(change(i.Node)))
	}
	return out
}

// labels sets common labels and annotations. What they do to selectors is not known.
func (b *Builder) labels(k Kustomization, items []*Item) []*Item {
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
	set("labels", yamlnode.Field(k.Node, "commonLabels"), true, true)
	for _, n := range k.Entries("labels") {
		selectors := yamlnode.TextAt(n, "includeSelectors") == "true"
		set("labels", yamlnode.Field(n, "pairs"), selectors || yamlnode.TextAt(n, "includeTemplates") == "true", selectors)
	}
	set("annotations", yamlnode.Field(k.Node, "commonAnnotations"), true, false)
	return items
}

// hidesImages reports whether a field that may have images is not known.
func (i *Item) hidesImages() bool {
	return slices.ContainsFunc(i.unknown, func(unknown string) bool {
		fields, has := strings.Split(unknown, "."), false
		isBelow := slices.ContainsFunc([]string{"", "containers", "initContainers", "volumes"}, func(name string) bool { return slices.Contains(fields, name) })
		transform.EachImage(yamlnode.Lookup(i.Node, fields...), nil, func(is, _ *yamlnodes.Node) *yamlnodes.Node {
			has = true
			return is
		})
		return isBelow || has
	})
}

// Hides reports whether the value at a path is not known.
func (i *Item) Hides(path string) bool {
	return slices.ContainsFunc(i.unknown, func(unknown string) bool {
		return unknown == "" || path == unknown || strings.HasPrefix(path, unknown+".") || strings.HasPrefix(unknown, path+".")
	})
}
