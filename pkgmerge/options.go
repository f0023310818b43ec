package pkgmerge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Options say how packages are merged. The zero Options are the defaults of the function config
// (rules/function: function config).
type Options struct {
	// Strategy decides the outcome of each resource; nil is the strategy in local's Kptfile, else
	// ResourceMerge. It may be a Driver.
	Strategy Strategy
	// Policy decides conflicts; nil takes upstream's version everywhere.
	Policy Policy
	// Renames are the resources that upstream renamed, where nothing else tells.
	Renames []identity.Rename
	// Lists give keys to lists that no schema describes.
	Lists []schema.Rule
	// NoInference turns off inferring the keys of lists that neither a schema nor Lists describe: such
	// a list is one value.
	NoInference bool
	// IgnoreSetters means that a setter's comment does not decide a value (rules/fields: values that a
	// machine owns).
	IgnoreSetters bool
	// NullIsValue makes a null a value like any other everywhere, for versions whose sides never delete
	// a field by a null, such as branches of a repository (rules/fields: null).
	NullIsValue bool
	// MergeComments says which resources get a `# kpt-merge:` comment, by which a later merge knows a
	// resource under another name.
	MergeComments MergeComments
	// RemovalsCollide makes a resource or file that local lacks and upstream changed a conflict, for
	// example between branches of one repository. Else it stays removed, because local removed it on
	// purpose (rules/resources: a new apiVersion).
	RemovalsCollide bool
	// LocalFirst puts local's additions before upstream's at one place in a map, a list or a file
	// (rules/git: additions at one place). Else upstream's come first, right after their predecessor.
	LocalFirst bool
	// Adopt lists changes that local made to all of its resources and that upstream's new resources
	// get; nil is the namespace, and an empty list leaves new resources unchanged.
	Adopt []Adoption
	// NoOrigin says that there is no origin: nothing counts as deleted upstream, and if both sides have
	// a value, upstream's is taken without a conflict.
	NoOrigin bool
	// Bookkeeping reports whether an annotation is not content: it is removed before merging, and stays
	// unchanged on local's resources. nil means the annotations of kpt and kustomize (rules/function:
	// output).
	Bookkeeping func(annotation string) bool
	// Progress, if not nil, gets the number of a stage's resources that are done. Calls do not overlap.
	Progress func(stage string, done, total int)
}

// MergeComments says which resources of the result get a merge comment (rules/identity: written merge
// comments). An existing one stays.
type MergeComments int

const (
	// CommentChanged: the resources that upstream or origin has too and that the merge changes or adds,
	// and the ones of CommentRenamed.
	CommentChanged MergeComments = iota
	// CommentRenamed: only a resource of local with another name or namespace than upstream's. A later
	// merge could not find it without a comment.
	CommentRenamed
	// CommentAlways: every resource that upstream or origin has too.
	CommentAlways
	// CommentNever: none.
	CommentNever
)

// Adoption is a change that local made to all of its resources, and that upstream's new resources get
// too (rules/adopt: what follows).
type Adoption string

const (
	// AdoptNamespace is the namespace that replaced another.
	AdoptNamespace Adoption = "namespace"
	// AdoptNames is a prefix and a suffix of names.
	AdoptNames Adoption = "names"
	// AdoptLabels and AdoptAnnotations are labels and annotations, also in templates.
	AdoptLabels      Adoption = "labels"
	AdoptAnnotations Adoption = "annotations"
	// AdoptImages is the registry that replaced another.
	AdoptImages Adoption = "images"
)

// Adoptions lists the adoptions; the first is the default.
func Adoptions() []Adoption {
	return []Adoption{AdoptNamespace, AdoptNames, AdoptLabels, AdoptAnnotations, AdoptImages}
}

// adopts reports whether upstream's new resources get a change of local's.
func (o Options) adopts(a Adoption) bool {
	return o.Adopt == nil && a == AdoptNamespace || slices.Contains(o.Adopt, a)
}

func (o Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}
