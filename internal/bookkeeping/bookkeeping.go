// Package bookkeeping names the annotations, comments and files in which kpt, kustomize and the function
// record their own data (rules/function: bookkeeping annotations), as in kpt and kyaml's kioutil.
package bookkeeping

import (
	"path"
	"strings"
)

const internalPrefix = "internal.config.kubernetes.io/"

const (
	// Path and Index are the file of a resource and its index in that.
	Path  = internalPrefix + "path"
	Index = internalPrefix + "index"
	// Package is the path of the resource's package.
	Package = internalPrefix + "package-path"
	// SeqIndent records whether the sequences of a resource are indented.
	SeqIndent = internalPrefix + "seqindent"
	// ID is kpt's number of an item.
	ID = internalPrefix + "id"

	// LegacyPath, LegacyIndex and LegacyID are the old names of Path, Index and ID.
	LegacyPath  = "config.kubernetes.io/path"
	LegacyIndex = "config.kubernetes.io/index"
	LegacyID    = "config.k8s.io/id"

	// MergeSource is the side of an item (rules/function: sides).
	MergeSource = "config.kubernetes.io/merge-source"
	// UpstreamIdentifier is an identity that survives the loss of comments (rules/identity: merge comments).
	UpstreamIdentifier = "internal.kpt.dev/upstream-identifier"

	kptResourceID = "internal.config.k8s.io/kpt-resource-id"
	kustomizeID   = "kustomize.config.k8s.io/id"
)

// Is reports whether an annotation is bookkeeping, which a merge removes first. Other annotations of
// config.kubernetes.io (depends-on, local-config, function) are content.
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

// MergeComment is the prefix of the comment with a resource's identity (rules/identity: merge comments).
const MergeComment = "kpt-merge:"

// IsMergeComment reports whether a YAML comment is a merge comment, even a malformed one.
func IsMergeComment(comment string) bool {
	_, is := cutMergeComment(comment)
	return is
}

// cutMergeComment returns the text of a merge comment, and whether the comment is one.
func cutMergeComment(comment string) (text string, is bool) {
	return strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(comment), "#")), MergeComment)
}

// ReadMergeComment returns the namespace and the name in a merge comment. The namespace may be empty. It
// reports false for any other comment, and for a malformed one.
func ReadMergeComment(comment string) (namespace, name string, ok bool) {
	text, is := cutMergeComment(comment)
	namespace, name, found := strings.Cut(text, "/")
	namespace, name = strings.TrimSpace(namespace), strings.TrimSpace(name)
	return namespace, name, is && found && name != "" && !strings.ContainsAny(namespace+name, " \t\n")
}
