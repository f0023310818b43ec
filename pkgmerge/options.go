package pkgmerge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Options say how packages are merged. The zero Options are the defaults of the
// function config (rules/function: function config).
type Options struct {
	// Strategy decides what becomes of each resource; nil is the strategy that
	// local's Kptfile asks for, else ResourceMerge. It may be a Driver.
	Strategy Strategy
	// Policy says whose version a conflict takes; nil is upstream's everywhere.
	Policy Policy
	// Renames are the resources that upstream renamed, where nothing else tells.
	Renames []identity.Rename
	// Lists give keys to lists that no schema describes.
	Lists []schema.Rule
	// NoInference turns off inferring the keys of lists that neither a schema nor
	// Lists describe: such a list is one value.
	NoInference bool
	// NullIsValue says that a null is a value like any other everywhere: it is for versions of
	// which no side deletes a field so, such as branches of a repository (rules/fields: null).
	NullIsValue bool
	// MergeComments says which resources get a `# kpt-merge:` comment, by which a later
	// merge knows a resource under another name.
	MergeComments MergeComments
	// RemovalsCollide says that a resource or file that local lacks and upstream changed is a
	// conflict: the versions are branches of one repository, say. Else local removed it on
	// purpose, and it stays removed (rules/resources: a new apiVersion).
	RemovalsCollide bool
	// LocalFirst says that of what both sides add at one place, to a map, a list or a file,
	// local's comes first (rules/git: additions at one place). Else upstream's does, right
	// after its predecessor.
	LocalFirst bool
	// Adopt is what upstream's new resources get that local did to all of its own; nil is the
	// namespace, and an empty list leaves them as upstream has them.
	Adopt []Adoption
	// NoOrigin says that there is no origin: nothing counts as deleted upstream, and
	// where both sides have a value, upstream's is taken without a conflict.
	NoOrigin bool
	// Bookkeeping reports whether an annotation is no content: it is taken off before
	// merging, and stays on local's resources as it is. nil is the annotations of kpt
	// and kustomize (rules/function: output).
	Bookkeeping func(annotation string) bool
	// Progress is told how many of a stage's resources are done. Calls do not
	// overlap. nil: nobody is told.
	Progress func(stage string, done, total int)
}

// MergeComments says which resources of the result get a merge comment (rules/identity:
// written merge comments). One that is there stays as it is.
type MergeComments int

const (
	// CommentChanged: a resource that upstream or origin has too and that the merge
	// changes or adds, and those of CommentRenamed.
	CommentChanged MergeComments = iota
	// CommentRenamed: only a resource of local's that has another name or namespace
	// than upstream's. A later merge could not find it without one.
	CommentRenamed
	// CommentAlways: every resource that upstream or origin has too.
	CommentAlways
	// CommentNever: none.
	CommentNever
)

// Adoption is something that local did to all of its resources, and that upstream's new
// resources get too (rules/adopt: what follows).
type Adoption string

const (
	// AdoptNamespace is the namespace that replaced another.
	AdoptNamespace Adoption = "namespace"
	// AdoptNames is a prefix and a suffix of names.
	AdoptNames Adoption = "names"
	// AdoptLabels and AdoptAnnotations are labels and annotations, in templates as well where
	// local has them there.
	AdoptLabels      Adoption = "labels"
	AdoptAnnotations Adoption = "annotations"
	// AdoptImages is the registry that replaced another.
	AdoptImages Adoption = "images"
)

// Adoptions lists the adoptions; the first is the usual one.
func Adoptions() []Adoption {
	return []Adoption{AdoptNamespace, AdoptNames, AdoptLabels, AdoptAnnotations, AdoptImages}
}

// adopts reports whether upstream's new resources get something.
func (o Options) adopts(a Adoption) bool {
	if o.Adopt == nil {
		return a == Adoptions()[0]
	}
	return slices.Contains(o.Adopt, a)
}

func (o Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}
