// Package config reads what a user says of a merge: the function config of the KRM
// function, which the command line takes as a file (design 1).
package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

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
	// Adopt is what the resources that upstream adds get of what local did to all of its own:
	// namespace, the default, names (a prefix and a suffix), labels, annotations and images (the
	// registry); an empty list leaves them as upstream has them.
	Adopt []string `json:"adopt"`
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
	return pkgmerge.CommentChanged
}

// inferKeys reports whether list keys may be inferred.
func (c Config) inferKeys() bool { return c.InferListKeys == nil || *c.InferListKeys }

// configShape is the shape of Config, read off the Go type so that the two
// cannot differ.
func configShape() shape { return shapeOf(reflect.TypeFor[Config]()) }

// Adoptions are what a config may have upstream's new resources get; the first is the usual one.
func Adoptions() (names []string) {
	for _, a := range pkgmerge.Adoptions() {
		names = append(names, string(a))
	}
	return names
}

// adoptions reads what upstream's new resources get, nil if the config does not say, and finds what
// has no effect on them: what local did to all of its own is known under resource-merge with an
// origin alone.
func (c Config) adoptions(strategy pkgmerge.Strategy, name fieldNames) ([]pkgmerge.Adoption, error) {
	if c.Adopt == nil {
		return nil, nil
	}
	out, usual := []pkgmerge.Adoption{}, pkgmerge.ResourceMerge{}.Name()
	const refused = "%s: %q is not allowed %s"
	for _, a := range c.Adopt {
		switch {
		case !slices.Contains(Adoptions(), a):
			return nil, fmt.Errorf("%s: %q is not allowed, allowed are %s", name("adopt"), a, strings.Join(Adoptions(), ", "))
		case strategy != nil && strategy.Name() != usual:
			return nil, fmt.Errorf(refused, name("adopt"), a, "with strategy "+strategy.Name()+", allowed is strategy "+usual)
		case c.Sources.Origin.None:
			return nil, fmt.Errorf(refused, name("adopt"), a, "without an origin: origin tells what local changed")
		case c.Sources.Origin.From != "":
			return nil, fmt.Errorf(refused, name("adopt"), a, "with "+name("sources.origin.from")+": what is live has local's names already")
		}
		out = append(out, pkgmerge.Adoption(a))
	}
	return out, nil
}
