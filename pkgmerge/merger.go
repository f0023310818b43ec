package pkgmerge

import (
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// merger is one run of Merge.
type merger struct {
	options  Options
	packages [3]Package
	strategy Strategy
	schema   *schema.Schema
}

// resources are the resources of all sides.
func (m *merger) resources() []*Resource {
	var all []*Resource
	for _, p := range m.packages {
		all = append(all, p.Resources...)
	}
	return all
}

// comesOut reports whether an annotation is bookkeeping that local's resources
// keep.
func (m *merger) comesOut(annotation string) bool {
	return annotation != bookkeeping.MergeSource && m.options.Bookkeeping(annotation)
}
