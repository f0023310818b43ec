// Package config reads what a user says of a merge: the function config of the KRM
// function, which the command line takes as a file (design 1).
package config

import (
	"reflect"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	configAPIVersion = "fn.kpt.dev/v1alpha1"
	configKind       = "ResourceMerge"
)

// Config is the function config (design 1): the typed kind, or a ConfigMap
// whose data has the keys that configMapKeys lists. Its doc comments are what
// docs/resource-merge.schema.json tells the users of an editor.
type Config struct {
	// APIVersion is fn.kpt.dev/v1alpha1.
	APIVersion string `json:"apiVersion"`
	// Kind is ResourceMerge.
	Kind string `json:"kind"`
	// Metadata may name the config; it is not read.
	Metadata any `json:"metadata"`
	// Strategy is resource-merge, fast-forward, force-delete-replace or
	// copy-merge, or apply or server-side-apply, which need not be about packages; the
	// default is what the local root Kptfile says, else resource-merge.
	Strategy  string    `json:"strategy"`
	Apply     Apply     `json:"apply"`
	Sources   Sources   `json:"sources"`
	Conflicts Conflicts `json:"conflicts"`
	// Renames are the resources that upstream renamed, where nothing else tells.
	Renames []Rename `json:"renames"`
	// Lists gives keys to lists that no schema describes.
	Lists []ListRule `json:"lists"`
	// InferListKeys says whether such a list may be keyed by what its elements
	// have in common; the default is true.
	InferListKeys *bool `json:"inferListKeys"`
	// MergeComment says whether to write `# kpt-merge:` comments; the default
	// is true.
	MergeComment *bool `json:"mergeComment"`
	// TextValues says that results have values as strings, as Porch needs them; the
	// default is false, where numbers and booleans are what they are.
	TextValues bool `json:"textValues"`
	// Output is what comes out: merged, the default, is local's package as it is merged;
	// patches are what makes it of local's or upstream's; overlay is a kustomization over
	// upstream that builds it.
	Output  string  `json:"output"`
	Patches Patches `json:"patches"`
	Overlay Overlay `json:"overlay"`
}

// mergeComments says which resources get merge comments. A patch has none: what it applies
// to it names.
func (c Config) mergeComments() pkgmerge.MergeComments {
	if c.Output == OutputPatches || c.MergeComment != nil && !*c.MergeComment {
		return pkgmerge.CommentNever
	}
	return pkgmerge.CommentAlways
}

// inferKeys reports whether list keys may be inferred.
func (c Config) inferKeys() bool { return c.InferListKeys == nil || *c.InferListKeys }

// configShape is the shape of Config, read off the Go type so that the two
// cannot differ.
func configShape() shape { return shapeOf(reflect.TypeFor[Config]()) }
