package kustomize

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Use is an entry of a layer, such as a document of a patch, with the resources that it met on both sides.
type Use struct {
	// Layer is the sort of the layer, such as patch or images. File has its lines, and Shift is added to the lines of Node.
	Layer, File string
	Shift       int
	// Node is a document of a patch, or the entry; Entry is the entry of the kustomization.
	Node, Entry *yamlnodes.Node
	// EntryFile is the file with the kustomization, whose tree is Root.
	EntryFile string
	Root      *yamlnodes.Node
	// IsFixed says that the lines of Node are not those of the file, which is so for a text in quotes.
	IsFixed bool
	Sides   [2]Meeting
}

// Meeting is the work of a layer on one side.
type Meeting struct {
	// Targets are the resources before the layer, and All is every resource then.
	Targets, All []*Item
	// Err is kustomize's error, and Failed the index of the operation of a JSON patch that has targets.
	Err    error
	Failed int
	// Unknown is the reason why it is not known what the layer does.
	Unknown string
}

// MeetsBumped reports whether an entry meets a resource of the bumped base on a side.
func (u *Use) MeetsBumped() bool {
	return slices.ContainsFunc(u.Sides[:], func(m Meeting) bool {
		return slices.ContainsFunc(m.Targets, func(i *Item) bool { return i.IsBumped })
	})
}

// MeetsNothing reports whether an entry is sure to meet no resource on either side, so that it is for no other base.
func (u *Use) MeetsNothing() bool {
	return !slices.ContainsFunc(u.Sides[:], func(m Meeting) bool { return len(m.Targets) > 0 || m.Unknown != "" })
}

// Uses are the entries of layers, in the order in which they were met.
type Uses struct {
	All  []*Use
	keys map[string]*Use
}

// meet returns the entry of a layer for a place, which the other side may have met already, and its work on a side.
func (b *Builder) meet(k Kustomization, made Use) *Use {
	if !k.IsOwn {
		return &made
	}
	if made.Root == nil {
		made.EntryFile, made.Root = k.File, k.Node
	}
	key := fmt.Sprint(made.Layer, " ", made.File, ":", made.Shift+made.Node.Line, ":", made.Node.Column, ":", made.Entry.Line, ":", k.File)
	if b.Uses.keys == nil {
		b.Uses.keys = map[string]*Use{}
	}
	if b.Uses.keys[key] == nil {
		b.Uses.keys[key] = &made
		b.Uses.All = append(b.Uses.All, &made)
	}
	return b.Uses.keys[key]
}

// PatchText is a document of a patch.
type PatchText struct {
	Node    *yamlnodes.Node
	File    string
	Shift   int
	IsFixed bool
}

// PatchTexts returns the documents of an entry of patches, which is a path, a text, or has one of these.
func PatchTexts(k Kustomization, entry *yamlnodes.Node) (all []PatchText, err error) {
	text, name := yamlnode.Field(entry, "patch"), yamlnode.TextAt(entry, "path")
	isScalar := entry.Kind == yamlnodes.ScalarNode
	switch {
	case isScalar && strings.Contains(entry.Value, "\n"), !isScalar && text == nil && name == "": // Flux's patchesStrategicMerge has objects
		text = entry
	case isScalar:
		name = entry.Value
	}
	if text == nil {
		if IsRemote(name) {
			return nil, fmt.Errorf("%s:%d: a remote patch is not read", k.File, entry.Line)
		}
		name = path.Join(k.Dir, name)
		nodes, err := Parse(k.Tree, name)
		for _, n := range nodes {
			all = append(all, PatchText{Node: n, File: name})
		}
		return all, err
	}
	if text.Kind != yamlnodes.ScalarNode { // Flux's patchesJson6902 have operations
		return []PatchText{{Node: text, File: k.File}}, nil
	}
	nodes, err := yamlnode.Documents([]byte(text.Value))
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", k.File, text.Line, err)
	}
	isLiteral := text.Style&yamlnodes.LiteralStyle != 0
	for _, n := range nodes {
		all = append(all, PatchText{Node: n, File: k.File, Shift: text.Line, IsFixed: !isLiteral})
	}
	return all, nil
}

// patches applies the patches in some fields.
func (b *Builder) patches(k Kustomization, items []*Item, fields ...string) ([]*Item, error) {
	for _, field := range fields {
		for _, entry := range k.Entries(field) {
			texts, err := PatchTexts(k, entry)
			if err != nil {
				return nil, err
			}
			target, err := newSelector(yamlnode.Field(entry, "target"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.File, err)
			}
			for _, text := range texts {
				items = b.patch(k, entry, text, target, items)
			}
		}
	}
	return items, nil
}

// patch applies a document of a patch to the resources that it selects.
func (b *Builder) patch(k Kustomization, entry *yamlnodes.Node, text PatchText, target *selector, items []*Item) (out []*Item) {
	u := b.meet(k, Use{Layer: "patch", File: text.File, Shift: text.Shift, Node: text.Node, Entry: entry, IsFixed: text.IsFixed})
	m := &u.Sides[b.Side]
	m.All = append(m.All, items...)
	var selected []*Item
	for _, i := range items {
		var is bool
		known := true
		if target == nil {
			is = i.isCalled(yamlnode.MetaOf(text.Node))
		} else {
			is, known = target.selects(i)
		}
		if !known {
			m.Unknown = "its target selects by labels that are not followed"
			i.forget("")
		}
		if is {
			selected = append(selected, i)
		}
	}
	switch {
	case len(selected) == 0 && b.isIncomplete:
		m.Unknown = "resources of other bases are not read, and the patch may be for them"
	case target == nil && text.Node.Kind == yamlnodes.SequenceNode:
		m.Err = errors.New("a JSON patch without a target")
	case target == nil && len(selected) == 0:
		m.Err = fmt.Errorf("no resource is %s", NameOf(yamlnode.MetaOf(text.Node)))
	case target == nil && len(selected) > 1:
		m.Err = fmt.Errorf("%d resources are %s", len(selected), NameOf(yamlnode.MetaOf(text.Node)))
	}
	m.Targets = append(m.Targets, selected...)
	for _, i := range items {
		if !slices.Contains(selected, i) {
			out = append(out, i)
			continue
		}
		if is := b.patched(i, text.Node, m); is != nil {
			out = append(out, is)
		}
	}
	return out
}

// NameOf names a resource as messages do.
func NameOf(m yamlnode.Meta) string {
	return strings.TrimSpace(m.APIVersion + " " + m.Kind + " " + strings.TrimPrefix(m.Namespace+"/"+m.Name, "/"))
}

// patched returns an item with a patch, nil if it goes.
func (b *Builder) patched(i *Item, patch *yamlnodes.Node, m *Meeting) *Item {
	is, failed, err := b.Patched(i.Node, patch)
	all, _ := Operations(patch) // none of a strategic merge patch, or of one that fails
	switch {
	case err != nil && patch.Kind == yamlnodes.SequenceNode && (len(all) == 0 || !i.HidesOperation(all[failed])):
		m.Err, m.Failed = err, failed
		return i
	case err != nil:
		m.Unknown = err.Error()
		out := i.with(i.Node)
		out.forget("")
		return out
	}
	return i.with(is)
}

// HidesOperation reports whether it is not known what an operation of a JSON patch does.
func (i *Item) HidesOperation(o Operation) bool {
	return i.Hides(strings.Join(o.At, ".")) || i.Hides(strings.Join(o.From, "."))
}

// Patched returns a resource with a patch of either form, nil if the patch deletes it.
func (b *Builder) Patched(resource, patch *yamlnodes.Node) (out *yamlnodes.Node, failed int, err error) {
	if patch.Kind != yamlnodes.SequenceNode {
		out, err = Strategic{Known: b.Known}.Apply(resource, patch)
		return out, 0, err
	}
	all, err := Operations(patch)
	if err != nil {
		return nil, 0, err
	}
	return ApplyJSON(resource, all)
}

// unknownBeneath is the reason why an entry over fields that other layers write is not judged.
const unknownBeneath = "the value beneath it is not known"

// images sets the names and tags of images.
func (b *Builder) images(k Kustomization, items []*Item) []*Item {
	for _, entry := range k.Entries("images") {
		u := b.meet(k, Use{Layer: "images", File: k.File, Node: entry, Entry: entry})
		m := &u.Sides[b.Side]
		for n, i := range items {
			if kind := i.Names[0].Kind; kind != "ConfigMap" && kind != "Secret" && i.hidesImages() {
				m.Unknown = unknownBeneath
			} else if b.isImageConfigured(i, imageOf(entry)) {
				m.Unknown = "the image is in a field that configurations name, too"
			}
			if len(ImagesOf(i.Node, entry)) > 0 {
				m.Targets = append(m.Targets, i)
				items[n] = i.with(WithImage(i.Node, entry))
			}
		}
		if len(m.Targets) == 0 && b.isIncomplete {
			m.Unknown = "resources of other bases are not read, and the entry may be for them"
		}
	}
	return items
}

// imageOf returns an entry of images.
func imageOf(n *yamlnodes.Node) transform.Image {
	return transform.Image{Name: yamlnode.TextAt(n, "name"), NewName: yamlnode.TextAt(n, "newName"), NewTag: yamlnode.TextAt(n, "newTag"), Digest: yamlnode.TextAt(n, "digest"), TagSuffix: yamlnode.TextAt(n, "tagSuffix")}
}

// ImagesOf returns the images in a resource that an entry of images changes.
func ImagesOf(n, entry *yamlnodes.Node) (found []*yamlnodes.Node) {
	by := imageOf(entry)
	transform.EachImage(n, nil, func(is, _ *yamlnodes.Node) *yamlnodes.Node {
		if by.Matches(is.Value) {
			found = append(found, is)
		}
		return is
	})
	return found
}

// WithImage returns a resource with an entry of images.
func WithImage(n, entry *yamlnodes.Node) *yamlnodes.Node {
	by := imageOf(entry)
	return transform.EachImage(n, nil, func(is, _ *yamlnodes.Node) *yamlnodes.Node { return yamlnode.WithText(is, by.Apply(is.Value)) })
}

// replicas sets the numbers of replicas.
func (b *Builder) replicas(k Kustomization, items []*Item) []*Item {
	for _, entry := range k.Entries("replicas") {
		u := b.meet(k, Use{Layer: "replicas", File: k.File, Node: entry, Entry: entry})
		m := &u.Sides[b.Side]
		m.All = append(m.All, items...)
		for n, i := range items {
			isNamed := slices.ContainsFunc(i.Names, func(is yamlnode.Meta) bool {
				return is.Name == yamlnode.TextAt(entry, "name") && transform.IsScaled(is)
			})
			if isNamed {
				if i.Hides("spec.replicas") {
					m.Unknown = unknownBeneath
				}
				m.Targets = append(m.Targets, i)
				items[n] = i.with(yamlnode.Set(i.Node, nil, yamlnode.Field(entry, "count"), "spec", "replicas"))
			}
		}
		isConfigured := slices.ContainsFunc(items, func(i *Item) bool {
			return b.isConfigured(i, "replicas") && slices.ContainsFunc(i.Names, func(is yamlnode.Meta) bool { return is.Name == yamlnode.TextAt(entry, "name") })
		})
		switch {
		case isConfigured:
			m.Unknown = "the number is for a field that configurations name, too"
		case len(m.Targets) > 0:
		case b.isIncomplete:
			m.Unknown = "resources of other bases are not read, and the entry may be for them"
		default:
			m.Err = fmt.Errorf("no workload is called %s", yamlnode.TextAt(entry, "name"))
		}
	}
	return items
}

// replacements notes which fields replacements write, and what they read.
func (b *Builder) replacements(k Kustomization, items []*Item) error {
	for _, n := range k.Entries("replacements") {
		entries, file, root := []*yamlnodes.Node{n}, k.File, k.Node
		if name := yamlnode.TextAt(n, "path"); name != "" {
			file = path.Join(k.Dir, name)
			all, err := Parse(k.Tree, file)
			if err != nil || len(all) == 0 {
				return err
			}
			entries, root = yamlnode.Elements(all[0]), all[0]
		}
		for _, entry := range entries {
			if source := yamlnode.Field(entry, "source"); source != nil {
				b.replacement(k, Use{File: file, Node: source, Entry: entry, EntryFile: file, Root: root}, items)
			}
			for _, to := range yamlnode.Elements(yamlnode.Field(entry, "targets")) {
				b.replacement(k, Use{File: file, Node: to, Entry: entry, EntryFile: file, Root: root}, items)
			}
		}
	}
	return nil
}

// replacement notes the resources that the source or a target of a replacement selects.
func (b *Builder) replacement(k Kustomization, made Use, items []*Item) {
	made.Layer = "replacements"
	u := b.meet(k, made)
	m := &u.Sides[b.Side]
	m.All = append(m.All, items...)
	target, err := newSelector(yamlnode.Field(u.Node, "select"))
	var rejected []*selector
	for _, n := range yamlnode.Elements(yamlnode.Field(u.Node, "reject")) {
		one, failed := newSelector(n)
		rejected, err = append(rejected, one), cmp.Or(err, failed)
	}
	isUnknown := err != nil
	for _, i := range items {
		is, known := i.isSource(u.Node), true
		if target != nil {
			is, known = target.selects(i)
		}
		for _, one := range rejected {
			if isOut, isSure := one.selects(i); isOut && isSure {
				is, known = false, true
			} else if !isSure {
				known = false
			}
		}
		if is || !known {
			m.Targets = append(m.Targets, i)
		}
		isUnknown = isUnknown || !known
	}
	switch isSource := target == nil; {
	case isUnknown:
		m.Unknown = "its target selects by labels that are not followed"
	case len(m.Targets) == 0 && b.isIncomplete:
		m.Unknown = "resources of other bases are not read, and the replacement may be for them"
	case isSource && len(m.Targets) != 1:
		m.Err = fmt.Errorf("%d resources are the source of the replacement", len(m.Targets))
	case isSource && lacks(m.Targets[0], cmp.Or(yamlnode.TextAt(u.Node, "fieldPath"), "metadata.name")):
		m.Err = fmt.Errorf("the source of the replacement has no %s", yamlnode.TextAt(u.Node, "fieldPath"))
	case !isSource && yamlnode.TextAt(u.Node, "options", "create") != "true":
		for _, to := range yamlnode.Elements(yamlnode.Field(u.Node, "fieldPaths")) {
			if slices.ContainsFunc(m.Targets, func(i *Item) bool { return lacks(i, to.Value) }) {
				m.Err = fmt.Errorf("the target of the replacement has no %s", to.Value)
			}
		}
	}
	for _, i := range m.Targets {
		for _, to := range yamlnode.Elements(yamlnode.Field(u.Node, "fieldPaths")) {
			i.forget(writtenBy(to.Value))
		}
		if target != nil && len(yamlnode.Elements(yamlnode.Field(u.Node, "fieldPaths"))) == 0 {
			i.forget("") // its name
		}
	}
}

// fieldsOf splits a path of a replacement, up to the first element of a list or field that is not a plain name.
func fieldsOf(path string) (fields []string, isWhole bool) {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if _, err := strconv.Atoi(name); err == nil || strings.ContainsAny(name, `[]\*`) || name == "-" {
			return fields, false
		}
		fields = append(fields, name)
	}
	return fields, true
}

// writtenBy returns the path of the field that a path of a replacement writes, or of one that it is in; "" for names, by which targets select.
func writtenBy(path string) string {
	fields, isWhole := fieldsOf(path)
	if at := strings.Join(fields, "."); !isWhole || !slices.Contains([]string{"metadata.name", "metadata.namespace", "kind", "apiVersion"}, at) {
		return at
	}
	return ""
}

// isSource reports whether a source of a replacement selects an item: by its kind, name and namespace, as far as they are given.
func (i *Item) isSource(n *yamlnodes.Node) bool {
	return slices.ContainsFunc(i.Names, func(is yamlnode.Meta) bool {
		return isOne(yamlnode.TextAt(n, "group"), is.Group()) && isOne(yamlnode.TextAt(n, "version"), is.Version()) && isOne(yamlnode.TextAt(n, "kind"), is.Kind) &&
			isOne(yamlnode.TextAt(n, "name"), is.Name) && isOne(yamlnode.TextAt(n, "namespace"), cmp.Or(is.Namespace, "default"))
	})
}

func isOne(wanted, is string) bool { return wanted == "" || wanted == is }

// lacks reports whether an item is sure to have no field at a path of a replacement.
func lacks(i *Item, at string) bool {
	fields, _ := fieldsOf(at)
	return !i.Hides(strings.Join(fields, ".")) && !mayHave(i.Node, strings.Split(strings.TrimPrefix(at, "."), "."))
}

// mayHave reports whether a value has a field at the names of a path, or may have it: a text may hold YAML.
func mayHave(n *yamlnodes.Node, names []string) bool {
	n = yamlnode.Resolve(n)
	if n == nil || len(names) == 0 || n.Kind == yamlnodes.ScalarNode {
		return n != nil
	}
	name, isPlain := names[0], !strings.ContainsAny(names[0], `[]\*`)
	key, value, isElement := strings.Cut(strings.Trim(name, "[]"), "=")
	index, err := strconv.Atoi(name)
	switch {
	case n.Kind == yamlnodes.MappingNode && isPlain && err != nil:
		return mayHave(yamlnode.Field(n, name), names[1:])
	case n.Kind == yamlnodes.SequenceNode && err == nil && index >= 0:
		return index < len(n.Content) && mayHave(n.Content[index], names[1:])
	case n.Kind == yamlnodes.SequenceNode && isElement && key != "" && strings.HasSuffix(name, "]"):
		expression, err := regexp.Compile(value)
		return err != nil || slices.ContainsFunc(n.Content, func(e *yamlnodes.Node) bool {
			return expression.MatchString(yamlnode.TextAt(e, key)) && mayHave(e, names[1:])
		})
	}
	return true
}
