package krmfunction

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// The annotations by which kpt, kustomize and this function keep their books
// (design 1.2), as kyaml's kioutil and kpt name them.
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

// isBookkeeping reports whether an annotation is no content of the resource: it is
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

// annotate sets one annotation; a new one comes last.
func annotate(item *yaml.Node, name, text string) *yaml.Node {
	metadata := yamlnode.Field(item, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = yamlnode.EmptyMap()
	}
	target := yamlnode.Annotations(item)
	if target == nil || len(target.Content) == 0 {
		target = yamlnode.EmptyMap()
	}
	v := yamlnode.String(text)
	v.Style = yaml.SingleQuotedStyle
	target = yamlnode.Put(target, nil, name, v)
	return yamlnode.Put(item, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", target))
}
