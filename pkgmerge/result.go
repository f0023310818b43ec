package pkgmerge

import (
	"sync"

	"github.com/resource-merge/resource-merge/merge"
)

// Result is what a merge came to.
type Result struct {
	// Changes are all resources of all sides: local's in local's order, then
	// upstream's and origin's.
	Changes []*Change
	// Merged are the changes that the merged package has, in its order.
	Merged []*Change
	// FileChanges are the files of all sides that do not merge by structure, sorted by
	// name, where the packages were made by NewPackage.
	FileChanges []*FileChange
	// Notices are what deserves a word though it is no conflict.
	Notices []Notice
	// Run is the run of the Driver, nil without one.
	Run Run
	// IdleRules are the rules of the policy, if that is Rules, that were about
	// nothing.
	IdleRules []IdleRule
	// IdleRenames and IdleLists are the indices of Options' renames and lists that
	// matched nothing.
	IdleRenames, IdleLists []int

	// ofFiles says that the result has files, which are sorted by name.
	ofFiles bool
	files   []File
	placed  *lastPlaced
}

// Count is how many resources an action was done to.
func (r *Result) Count(a Action) int {
	count := 0
	for _, c := range r.Changes {
		if c.Action == a {
			count++
		}
	}
	return count
}

// Failing are the changes with a conflict that is to fail the run: its policy prefers
// neither side (rules/conflicts: policies).
func (r *Result) Failing() []*Change {
	var out []*Change
	for _, c := range r.Changes {
		for _, conflict := range c.Conflicts {
			if c.Fails(conflict) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// FailingFiles are the files with a conflict that is to fail the run.
func (r *Result) FailingFiles() []*FileChange {
	var out []*FileChange
	for _, c := range r.FileChanges {
		if c.Fails() {
			out = append(out, c)
		}
	}
	return out
}

// Package is the merged package.
func (r *Result) Package() Package {
	var p Package
	for _, c := range r.Merged {
		p.Resources = append(p.Resources, c.Result)
	}
	return p
}

// lastPlaced is what is known of the lines of the resource of which a place was asked for last.
type lastPlaced struct {
	using  sync.Mutex
	change *Change
	finder *merge.Finder
}

// find is the line of a field in the text of its resource, 0 if that cannot be read.
func (l *lastPlaced) find(c *Change, path *merge.Path) int {
	if l == nil { // the result is not of Merge
		l = &lastPlaced{}
	}
	l.using.Lock()
	defer l.using.Unlock()
	if l.change != c {
		tree, err := c.Result.Tree()
		if err != nil {
			return 0
		}
		l.change, l.finder = c, merge.NewFinder(tree)
	}
	at, _ := l.finder.Find(path)
	return at.Line
}

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
