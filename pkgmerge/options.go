package pkgmerge

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Options say how packages are merged. The zero Options are the defaults of the
// function config (design 1).
type Options struct {
	// Strategy decides what becomes of each resource; nil is the strategy that
	// local's Kptfile asks for, else ResourceMerge.
	Strategy Strategy
	// Policy says whose version a conflict takes; nil is upstream's everywhere.
	Policy Policy
	// Renames are what upstream renamed, where nothing else tells.
	Renames []identity.Rename
	// Lists give keys to lists that no schema describes.
	Lists []schema.Rule
	// KeepUnkeyed says that the keys of other such lists are not inferred.
	KeepUnkeyed bool
	// OmitMergeComments says that no `# kpt-merge:` comments are written.
	OmitMergeComments bool
	// NoOrigin says that there is no origin: nothing counts as deleted upstream, and
	// where both sides have a value upstream's is taken without a conflict.
	NoOrigin bool
	// Bookkeeping reports whether an annotation is no content: it is taken off
	// before merging, and stays on local's resources as it is. nil: all are content.
	Bookkeeping func(annotation string) bool
	// Marks reports whether a bookkeeping annotation is about the input alone and
	// does not come out of a merge. nil: all come out.
	Marks func(annotation string) bool
	// Progress is told how many of a stage's resources are done. Calls do not
	// overlap. nil: nobody is told.
	Progress func(stage string, done, total int)
}

func (o Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}
