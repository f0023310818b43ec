package review

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// use is an entry of a layer, such as a document of a patch, with the resources that it met on both sides.
type use struct {
	// layer is the sort of the layer, file has its lines, and shift is added to the lines of node.
	layer, file string
	shift       int
	// node is a document of a patch, or the entry; entry is the entry of the kustomization.
	node, entry *yamlnodes.Node
	// entryFile is the file with the kustomization, whose tree is root.
	entryFile string
	root      *yamlnodes.Node
	// isFixed says that the lines of node are not those of the file, which is so for a text in quotes.
	isFixed bool
	sides   [2]meeting
}

// meeting is the work of a layer on one side.
type meeting struct {
	// targets are the resources before the layer, and all is every resource then.
	targets, all []*item
	// err is kustomize's error, and failed the index of the operation of a JSON patch that has targets.
	err    error
	failed int
	// unknown is the reason why it is not known what the layer does.
	unknown string
}

// isOverBase reports whether an entry meets a resource of the bumped base on a side.
func (u *use) isOverBase() bool {
	return slices.ContainsFunc(u.sides[:], func(m meeting) bool {
		return slices.ContainsFunc(m.targets, func(i *item) bool { return i.isBumped })
	})
}

// meetsNothing reports whether an entry is sure to meet no resource on either side, so that it is for no other base.
func (u *use) meetsNothing() bool {
	return !slices.ContainsFunc(u.sides[:], func(m meeting) bool { return len(m.targets) > 0 || m.unknown != "" })
}

// first returns the value of the first target on a side.
func (u *use) first(side int, at ...string) *yamlnodes.Node {
	if len(u.sides[side].targets) == 0 {
		return nil
	}
	return yamlnode.Lookup(u.sides[side].targets[0].node, at...)
}

// uses are the entries of layers, in the order in which they were met.
type uses struct {
	all  []*use
	keys map[string]*use
}

// meet returns the entry of a layer for a place, which the other side may have met already, and its work on a side.
func (b *builder) meet(k kustomization, made use) *use {
	if !k.isOwn {
		return &made
	}
	if made.root == nil {
		made.entryFile, made.root = k.file, k.node
	}
	key := fmt.Sprint(made.layer, " ", made.file, ":", made.shift+made.node.Line, ":", made.node.Column, ":", made.entry.Line, ":", k.file)
	if b.uses.keys == nil {
		b.uses.keys = map[string]*use{}
	}
	if b.uses.keys[key] == nil {
		b.uses.keys[key] = &made
		b.uses.all = append(b.uses.all, &made)
	}
	return b.uses.keys[key]
}

// patchText is a document of a patch.
type patchText struct {
	node    *yamlnodes.Node
	file    string
	shift   int
	isFixed bool
}

// patchTexts returns the documents of an entry of patches, which is a path, a text, or has one of these.
func patchTexts(k kustomization, entry *yamlnodes.Node) (all []patchText, err error) {
	text, name := yamlnode.Field(entry, "patch"), yamlnode.TextAt(entry, "path")
	isScalar := entry.Kind == yamlnodes.ScalarNode
	switch {
	case isScalar && strings.Contains(entry.Value, "\n"), !isScalar && text == nil && name == "": // Flux's patchesStrategicMerge has objects
		text = entry
	case isScalar:
		name = entry.Value
	}
	if text == nil {
		if isRemote(name) {
			return nil, fmt.Errorf("%s:%d: a remote patch is not read", k.file, entry.Line)
		}
		name = path.Join(k.dir, name)
		nodes, err := parse(k.tree, name)
		for _, n := range nodes {
			all = append(all, patchText{node: n, file: name})
		}
		return all, err
	}
	if text.Kind != yamlnodes.ScalarNode { // Flux's patchesJson6902 have operations
		return []patchText{{node: text, file: k.file}}, nil
	}
	nodes, err := yamlnode.Documents([]byte(text.Value))
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", k.file, text.Line, err)
	}
	isLiteral := text.Style&yamlnodes.LiteralStyle != 0
	for _, n := range nodes {
		all = append(all, patchText{node: n, file: k.file, shift: text.Line, isFixed: !isLiteral})
	}
	return all, nil
}

// patches applies the patches in some fields.
func (b *builder) patches(k kustomization, items []*item, fields ...string) ([]*item, error) {
	for _, field := range fields {
		for _, entry := range k.field(field) {
			texts, err := patchTexts(k, entry)
			if err != nil {
				return nil, err
			}
			target, err := newSelector(yamlnode.Field(entry, "target"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.file, err)
			}
			for _, text := range texts {
				items = b.patch(k, entry, text, target, items)
			}
		}
	}
	return items, nil
}

// patch applies a document of a patch to the resources that it selects.
func (b *builder) patch(k kustomization, entry *yamlnodes.Node, text patchText, target *selector, items []*item) (out []*item) {
	u := b.meet(k, use{layer: "patch", file: text.file, shift: text.shift, node: text.node, entry: entry, isFixed: text.isFixed})
	m := &u.sides[b.side]
	m.all = append(m.all, items...)
	var selected []*item
	for _, i := range items {
		var is bool
		known := true
		if target == nil {
			is = i.isCalled(yamlnode.MetaOf(text.node))
		} else {
			is, known = target.selects(i)
		}
		if !known {
			m.unknown = "its target selects by labels that are not followed"
			i.forget("")
		}
		if is {
			selected = append(selected, i)
		}
	}
	switch {
	case len(selected) == 0 && b.isIncomplete:
		m.unknown = "resources of other bases are not read, and the patch may be for them"
	case target == nil && text.node.Kind == yamlnodes.SequenceNode:
		m.err = errors.New("a JSON patch without a target")
	case target == nil && len(selected) == 0:
		m.err = fmt.Errorf("no resource is %s", nameOf(yamlnode.MetaOf(text.node)))
	case target == nil && len(selected) > 1:
		m.err = fmt.Errorf("%d resources are %s", len(selected), nameOf(yamlnode.MetaOf(text.node)))
	}
	m.targets = append(m.targets, selected...)
	for _, i := range items {
		if !slices.Contains(selected, i) {
			out = append(out, i)
			continue
		}
		if is := b.patched(i, text.node, m); is != nil {
			out = append(out, is)
		}
	}
	return out
}

// nameOf names a resource as messages do.
func nameOf(m yamlnode.Meta) string {
	return strings.TrimSpace(m.APIVersion + " " + m.Kind + " " + strings.TrimPrefix(m.Namespace+"/"+m.Name, "/"))
}

// patched returns an item with a patch, nil if it goes.
func (b *builder) patched(i *item, patch *yamlnodes.Node, m *meeting) *item {
	is, failed, err := b.result(i.node, patch)
	switch {
	case err != nil && patch.Kind == yamlnodes.SequenceNode:
		m.err, m.failed = err, failed
		return i
	case err != nil:
		m.unknown = err.Error()
		out := i.with(i.node)
		out.forget("")
		return out
	}
	return i.with(is)
}

// result returns a resource with a patch of either form, nil if the patch deletes it.
func (b *builder) result(resource, patch *yamlnodes.Node) (out *yamlnodes.Node, failed int, err error) {
	if patch.Kind != yamlnodes.SequenceNode {
		out, err = kustomize.Strategic{Known: b.known}.Apply(resource, patch)
		return out, 0, err
	}
	all, err := kustomize.Operations(patch)
	if err != nil {
		return nil, 0, err
	}
	return kustomize.ApplyJSON(resource, all)
}

// images sets the names and tags of images.
func (b *builder) images(k kustomization, items []*item) []*item {
	for _, entry := range k.field("images") {
		u := b.meet(k, use{layer: "images", file: k.file, node: entry, entry: entry})
		m := &u.sides[b.side]
		if len(k.field("configurations")) > 0 {
			m.unknown = "configurations may name more fields with images"
		}
		for n, i := range items {
			if len(imagesOf(i.node, entry)) > 0 {
				m.targets = append(m.targets, i)
				items[n] = i.with(withImage(i.node, entry))
			}
		}
		if len(m.targets) == 0 && b.isIncomplete {
			m.unknown = "resources of other bases are not read, and the entry may be for them"
		}
	}
	return items
}

// imageOf returns an entry of images.
func imageOf(n *yamlnodes.Node) transform.Image {
	return transform.Image{Name: yamlnode.TextAt(n, "name"), NewName: yamlnode.TextAt(n, "newName"), NewTag: yamlnode.TextAt(n, "newTag"), Digest: yamlnode.TextAt(n, "digest"), TagSuffix: yamlnode.TextAt(n, "tagSuffix")}
}

// imagesOf returns the images in a resource that an entry of images changes.
func imagesOf(n, entry *yamlnodes.Node) (found []*yamlnodes.Node) {
	by := imageOf(entry)
	transform.EachImage(n, nil, func(is, _ *yamlnodes.Node) *yamlnodes.Node {
		if by.Matches(is.Value) {
			found = append(found, is)
		}
		return is
	})
	return found
}

// withImage returns a resource with an entry of images.
func withImage(n, entry *yamlnodes.Node) *yamlnodes.Node {
	by := imageOf(entry)
	return transform.EachImage(n, nil, func(is, _ *yamlnodes.Node) *yamlnodes.Node { return yamlnode.WithText(is, by.Apply(is.Value)) })
}

// replicas sets the numbers of replicas.
func (b *builder) replicas(k kustomization, items []*item) []*item {
	for _, entry := range k.field("replicas") {
		u := b.meet(k, use{layer: "replicas", file: k.file, node: entry, entry: entry})
		m := &u.sides[b.side]
		for n, i := range items {
			isNamed := slices.ContainsFunc(i.names, func(is yamlnode.Meta) bool {
				return is.Name == yamlnode.TextAt(entry, "name") && transform.IsScaled(is)
			})
			if isNamed {
				m.targets = append(m.targets, i)
				items[n] = i.with(yamlnode.Set(i.node, nil, yamlnode.Field(entry, "count"), "spec", "replicas"))
			}
		}
		switch {
		case len(m.targets) > 0:
		case b.isIncomplete:
			m.unknown = "resources of other bases are not read, and the entry may be for them"
		default:
			m.err = fmt.Errorf("no workload is called %s", yamlnode.TextAt(entry, "name"))
		}
	}
	return items
}

// replacements notes which fields replacements write, and what they read.
func (b *builder) replacements(k kustomization, items []*item) error {
	for _, n := range k.field("replacements") {
		entries, file, root := []*yamlnodes.Node{n}, k.file, k.node
		if name := yamlnode.TextAt(n, "path"); name != "" {
			file = path.Join(k.dir, name)
			all, err := parse(k.tree, file)
			if err != nil || len(all) == 0 {
				return err
			}
			entries, root = yamlnode.Elements(all[0]), all[0]
		}
		for _, entry := range entries {
			if source := yamlnode.Field(entry, "source"); source != nil {
				b.replacement(k, use{file: file, node: source, entry: entry, entryFile: file, root: root}, items)
			}
			for _, to := range yamlnode.Elements(yamlnode.Field(entry, "targets")) {
				b.replacement(k, use{file: file, node: to, entry: entry, entryFile: file, root: root}, items)
			}
		}
	}
	return nil
}

// replacement notes the resources that the source or a target of a replacement selects.
func (b *builder) replacement(k kustomization, made use, items []*item) {
	made.layer = "replacements"
	u := b.meet(k, made)
	m := &u.sides[b.side]
	target, err := newSelector(yamlnode.Field(u.node, "select"))
	for _, i := range items {
		is, known := i.isSource(u.node), true
		if target != nil {
			is, known = target.selects(i)
		}
		if is || !known {
			m.targets = append(m.targets, i)
		}
	}
	switch isSource := target == nil; {
	case err != nil || len(m.targets) == 0 && b.isIncomplete:
		m.unknown = "resources of other bases are not read, and the replacement may be for them"
	case isSource && len(m.targets) != 1:
		m.err = fmt.Errorf("%d resources are the source of the replacement", len(m.targets))
	case isSource && lacks(m.targets[0], cmp.Or(yamlnode.TextAt(u.node, "fieldPath"), "metadata.name")):
		m.err = fmt.Errorf("the source of the replacement has no %s", yamlnode.TextAt(u.node, "fieldPath"))
	case !isSource && yamlnode.TextAt(u.node, "options", "create") != "true":
		for _, to := range yamlnode.Elements(yamlnode.Field(u.node, "fieldPaths")) {
			if slices.ContainsFunc(m.targets, func(i *item) bool { return lacks(i, to.Value) }) {
				m.err = fmt.Errorf("the target of the replacement has no %s", to.Value)
			}
		}
	}
	if target != nil {
		for _, i := range m.targets {
			i.forget("") // the paths may have indices and options
		}
	}
}

// isSource reports whether a source of a replacement selects an item: by its kind, name and namespace, as far as they are given.
func (i *item) isSource(n *yamlnodes.Node) bool {
	return slices.ContainsFunc(i.names, func(is yamlnode.Meta) bool {
		return isOne(yamlnode.TextAt(n, "group"), is.Group()) && isOne(yamlnode.TextAt(n, "version"), is.Version()) && isOne(yamlnode.TextAt(n, "kind"), is.Kind) &&
			isOne(yamlnode.TextAt(n, "name"), is.Name) && isOne(yamlnode.TextAt(n, "namespace"), cmp.Or(is.Namespace, "default"))
	})
}

func isOne(wanted, is string) bool { return wanted == "" || wanted == is }

// lacks reports whether an item is sure to have no field at a path: a map on the way lacks a name.
func lacks(i *item, at string) bool {
	if strings.ContainsAny(at, `[]\\*`) || i.hides(at) {
		return false
	}
	n := i.node
	for name := range strings.SplitSeq(at, ".") {
		if n = yamlnode.Resolve(n); n == nil || n.Kind != yamlnodes.MappingNode {
			return false
		}
		if n = yamlnode.Field(n, name); n == nil {
			return true
		}
	}
	return false
}
