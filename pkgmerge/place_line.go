package pkgmerge

import "github.com/resource-merge/resource-merge/merge"

// Place is where a field of a resource stands in the merged package: the file, and the
// line in it, from 1. Of a field that is not there it is that of the nearest thing
// around it that is. The line is 0 where it is not known: the merged package lacks the
// resource, or its files are not known (see Files).
//
// The fields of one resource are found faster one after the other than among those of others.
func (r *Result) Place(c *Change, path *merge.Path) (file string, line int) {
	if c.line == 0 || c.Result == nil {
		return c.File(), 0
	}
	if path == nil {
		if line := c.Result.item.TopLine(); line > 0 {
			return c.File(), c.line + line - 1
		}
	}
	if at := r.placed.find(c, path); at > 0 {
		return c.File(), c.line + at - 1
	}
	return c.File(), 0
}
