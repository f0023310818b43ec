// Package bookkeeping names the annotations, the comment and the file by which kpt, kustomize and the
// function keep their books (rules/function: bookkeeping annotations), as kyaml's kioutil and
// kpt name them.
package bookkeeping

import (
	"path"
	"strings"
)

const internalPrefix = "internal.config.kubernetes.io/"

const (
	// Path and Index are the file of a resource and its place in it.
	Path  = internalPrefix + "path"
	Index = internalPrefix + "index"
	// Package is the path of the package that a resource is in.
	Package = internalPrefix + "package-path"
	// SeqIndent says whether the sequences of a resource are indented.
	SeqIndent = internalPrefix + "seqindent"
	// ID is the name by which kpt finds the item that it sent.
	ID = internalPrefix + "id"

	// LegacyPath, LegacyIndex and LegacyID are the old names of Path, Index and ID.
	LegacyPath  = "config.kubernetes.io/path"
	LegacyIndex = "config.kubernetes.io/index"
	LegacyID    = "config.k8s.io/id"

	// MergeSource says which side an item is on (rules/function: sides).
	MergeSource = "config.kubernetes.io/merge-source"
	// UpstreamIdentifier keeps an identity where comments get lost (rules/identity:
	// merge comments).
	UpstreamIdentifier = "internal.kpt.dev/upstream-identifier"

	kptResourceID = "internal.config.k8s.io/kpt-resource-id"
	kustomizeID   = "kustomize.config.k8s.io/id"
)

// Is reports whether an annotation is no content of the resource: it
// is taken off before merging. Other annotations of config.kubernetes.io
// (depends-on, local-config, function) are content.
func Is(name string) bool {
	switch name {
	case LegacyPath, LegacyIndex, LegacyID, MergeSource, kptResourceID, kustomizeID, UpstreamIdentifier:
		return true
	}
	return strings.HasPrefix(name, internalPrefix)
}

// IsKustomization reports whether a file is a kustomization by its name.
func IsKustomization(file string) bool {
	switch path.Base(file) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

// MergeComment begins the comment that says who a resource is (rules/identity: merge comments).
const MergeComment = "kpt-merge:"

// IsMergeComment reports whether a YAML comment is meant as a merge comment, well-formed or not.
func IsMergeComment(comment string) bool {
	_, is := CutMergeComment(comment)
	return is
}

// CutMergeComment returns the text of a merge comment, and whether the comment is one.
func CutMergeComment(comment string) (text string, is bool) {
	return strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(comment), "#")), MergeComment)
}
