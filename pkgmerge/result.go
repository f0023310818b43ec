package pkgmerge

import (
	"slices"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Result is the result of a merge.
type Result struct {
	// Changes are all resources of all sides: local's in local's order, then upstream's and origin's.
	Changes []*Change
	// Merged are the changes of the resources in the merged package, in its order.
	Merged []*Change
	// FileChanges are the files of all sides that do not merge by structure, sorted by name, if the
	// packages were made by NewPackage.
	FileChanges []*FileChange
	// Notices are about things that are no conflicts and that the user should know.
	Notices []Notice
	// Run is the run of the Driver, nil without one.
	Run Run
	// IdleRules are the rules of the policy, if that is Rules, that matched nothing.
	IdleRules []IdleRule
	// IdleRenames and IdleLists are the indices of Options' renames and lists that matched nothing.
	IdleRenames, IdleLists []int

	// ofFiles says that the result has files, which are sorted by name.
	ofFiles bool
	files   []File
	finder  *lineFinder
}

// FirstFailing names the first resource or file with a conflict that fails the run because the policy
// prefers neither side (rules/conflicts: policies), "" if there is none.
func (r *Result) FirstFailing() string {
	for _, c := range r.Changes {
		if slices.ContainsFunc(c.Conflicts, c.Fails) {
			return c.Newest().String()
		}
	}
	for _, c := range r.FileChanges {
		if c.Fails() {
			return c.Name
		}
	}
	return ""
}

// Package returns the merged package.
func (r *Result) Package() Package {
	var p Package
	for _, c := range r.Merged {
		p.Resources = append(p.Resources, c.Result)
	}
	return p
}

// lineFinder finds fields in the text of the resource that it was last used for.
type lineFinder struct {
	mutex    sync.Mutex
	resource *Resource
	finder   *merge.Finder
}

// find returns the line of a field in the text of its resource, 0 if that cannot be read.
func (l *lineFinder) find(r *Resource, path *merge.Path) int {
	if l == nil { // the result is not of Merge
		l = &lineFinder{}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.resource != r {
		tree, err := r.Tree()
		if err != nil {
			return 0
		}
		l.resource, l.finder = r, merge.NewFinder(tree)
	}
	at, _ := l.finder.Find(path)
	return at.Line
}

// Location returns the file and the line, from 1, of a field in the merged package; of a missing field,
// those of the nearest one around it. The line is 0 if it is unknown: the merged package lacks the
// resource, or its files are unknown (see Files).
//
// It is faster to find the fields of one resource after the other.
func (r *Result) Location(c *Change, path *merge.Path) (file string, line int) {
	if c.line == 0 || c.Result == nil {
		return c.File(), 0
	}
	if path == nil {
		line = c.Result.item.TopLine()
	}
	if line == 0 {
		line = r.finder.find(c.Result, path)
	}
	if line > 0 {
		line += c.line - 1
	}
	return c.File(), line
}

// SideLocation is Location in the version of a side, which must have the resource.
func (r *Result) SideLocation(c *Change, side identity.Side, path *merge.Path) (file string, line int) {
	version := c.Versions[side]
	if line = r.finder.find(version, path); line > 0 {
		line += max(version.Listed().item.Line, 1) - 1
	}
	return version.label(), line
}
