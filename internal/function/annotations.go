package function

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// The annotations by which kpt, kustomize and this function keep their books
// (DESIGN 1.2), as kyaml's kioutil and kpt name them.
const (
	internalPrefix      = "internal.config.kubernetes.io/"
	pathAnnotation      = internalPrefix + "path"
	indexAnnotation     = internalPrefix + "index"
	packageAnnotation   = internalPrefix + "package-path"
	seqIndentAnnotation = internalPrefix + "seqindent"
	idAnnotation        = internalPrefix + "id"
	legacyPath          = "config.kubernetes.io/path"
	legacyIndex         = "config.kubernetes.io/index"
	legacyID            = "config.k8s.io/id"
	mergeSource         = "config.kubernetes.io/merge-source"
	kptResourceID       = "internal.config.k8s.io/kpt-resource-id"
	kustomizeID         = "kustomize.config.k8s.io/id"
	upstreamIdentifier  = "internal.kpt.dev/upstream-identifier"
)

// isBookkeeping says whether an annotation is no content of the resource: it is
// taken off before merging, and kept on local's items as it is. Other
// annotations of config.kubernetes.io (depends-on, local-config, function) are
// content.
func isBookkeeping(name string) bool {
	switch name {
	case legacyPath, legacyIndex, legacyID, mergeSource, kptResourceID, kustomizeID, upstreamIdentifier:
		return true
	}
	return strings.HasPrefix(name, internalPrefix)
}

// annotations is an item's metadata.annotations, nil if it has none.
func annotations(item *yaml.Node) *yaml.Node {
	a := fieldOf(fieldOf(item, "metadata"), "annotations")
	if a == nil || a.Kind != yaml.MappingNode {
		return nil
	}
	return a
}

// annotation is the value of one annotation, "" if the item lacks it.
func annotation(item *yaml.Node, name string) string {
	if v := fieldOf(annotations(item), name); v != nil {
		return v.Value
	}
	return ""
}

// strip takes the bookkeeping off an item, on a copy; an item without any is
// returned as it is. A map of annotations that held nothing else goes too.
func strip(item *yaml.Node) *yaml.Node {
	a := annotations(item)
	if a == nil {
		return item
	}
	kept := without(a, isBookkeeping)
	switch {
	case len(kept.Content) == len(a.Content):
		return item
	case len(kept.Content) == 0:
		metadata := without(fieldOf(item, "metadata"), func(name string) bool { return name == "annotations" })
		return withField(item, "metadata", metadata)
	}
	return withField(item, "metadata", withField(fieldOf(item, "metadata"), "annotations", kept))
}

// restore puts the bookkeeping of was, local's version, back on item, the
// merged one, in local's style, each annotation after its nearest preceding sibling in was that
// item has, else first. The side's mark does not come back: a merged item is on
// no side.
func restore(item, was *yaml.Node) *yaml.Node {
	source := annotations(was)
	if source == nil {
		return item
	}
	target := emptyMap()
	if has := annotations(item); has != nil {
		target.Content = has.Content
	}
	target.Style = source.Style
	before := len(target.Content)
	for i := 0; i+1 < len(source.Content); i += 2 {
		if name := source.Content[i].Value; isBookkeeping(name) && name != mergeSource {
			target = insertAfterSibling(target, source, i)
		}
	}
	if len(target.Content) == before {
		return item
	}
	metadata := fieldOf(item, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = emptyMap()
	}
	metadata = putField(metadata, fieldOf(was, "metadata"), "annotations", target)
	return putField(item, was, "metadata", metadata)
}

// annotate sets one annotation; a new one comes last.
func annotate(item *yaml.Node, name, text string) *yaml.Node {
	metadata := fieldOf(item, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = emptyMap()
	}
	target := annotations(item)
	if target == nil || len(target.Content) == 0 {
		target = emptyMap()
	}
	v := stringNode(text)
	v.Style = yaml.SingleQuotedStyle
	target = putField(target, nil, name, v)
	return putField(item, nil, "metadata", putField(metadata, nil, "annotations", target))
}
