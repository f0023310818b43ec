package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/plainyaml"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// lastAppliedName is the annotation in which client-side apply keeps what it was given.
const lastAppliedName = "kubectl.kubernetes.io/last-applied-configuration"

func lastAppliedPath() managed.Path {
	return managed.Path{managed.Field("metadata"), managed.Field("annotations"), managed.Field(lastAppliedName)}
}

// lastApplied is what client-side apply was given last, where it counts: for M = kubectl, in
// the apiVersion of config (design 14, 6). It has no nulls, which equal nothing live.
func lastApplied(manager string, versions [3]*yaml.Node) *yaml.Node {
	if manager != "kubectl" {
		return nil
	}
	doc := plainyaml.JSON([]byte(yamlnode.Annotation(versions[local], lastAppliedName)))
	if doc == nil {
		return nil
	}
	last, err := prepare(doc.Content[0])
	if err != nil || kindOf(last)[0] != kindOf(versions[upstream])[0] {
		return nil
	}
	return unnulled(last)
}

// wasApplied reports whether live has an element as client-side apply was given it last: then
// kubectl may set it, whoever owns it (design 14, 6). An empty list with keys says nothing.
func (r *serving) wasApplied(e *element) bool {
	o, l := e.value[origin], e.value[local]
	if o == nil || l == nil || e.form == associative && isBare(o) {
		return false
	}
	return e.form != atomic || same(nil, o, l)
}

// saveLastApplied gives the annotation of a live object an owner, so that it stays when
// client-side apply's entry becomes M's; only M = kubectl does that.
func saveLastApplied(manager string, entries managed.Entries, versions [3]*yaml.Node) managed.Entries {
	annotation := yamlnode.Lookup(versions[local], "metadata", "annotations", lastAppliedName)
	if manager != "kubectl" || annotation == nil {
		return entries
	}
	for _, e := range entries {
		if e.Operation == managed.Apply && e.Fields.At(lastAppliedPath()).Member() {
			return entries
		}
	}
	saver := managed.Owner{Manager: "kubectl-last-applied", Operation: managed.Apply, APIVersion: kindOf(versions[upstream])[0]}
	return entries.With(saver, managed.Of(lastAppliedPath()))
}

// updateLastApplied puts config into the annotation, where live has one that is not empty,
// as the server does for M = kubectl.
func (r *serving) updateLastApplied(e *element, d *decision) {
	was := yamlnode.Annotation(e.value[local], lastAppliedName)
	if r.manager != "kubectl" || was == "" {
		return
	}
	text := yamlnode.String(lastAppliedText(e.value[upstream]))
	text.Style = yaml.LiteralStyle
	d.put(e, []string{"metadata", "annotations", lastAppliedName}, text)
}

// lastAppliedText is the annotation for a config, without the annotation itself. Unlike
// kubectl, the server adds no empty map of annotations, and makes a text of one that is null.
func lastAppliedText(config *yaml.Node) string {
	metadata := yamlnode.Field(config, "metadata")
	annotations := yamlnode.Field(metadata, "annotations")
	switch {
	case annotations == nil:
	case annotations.Kind != yaml.MappingNode:
		metadata = yamlnode.Without(metadata, func(name string) bool { return name == "annotations" })
		config = yamlnode.Put(config, nil, "metadata", metadata)
	default:
		annotations = texts(yamlnode.Without(annotations, func(name string) bool { return name == lastAppliedName }))
		config = yamlnode.Put(config, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", annotations))
	}
	return managed.JSON(config) + "\n"
}

// texts is a map of strings as the server reads it.
func texts(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, v := range out.Content {
		if i%2 == 1 && isNull(v) {
			out.Content[i] = yamlnode.String("")
		}
	}
	return &out
}
