package pkgmerge

import (
	"sync"

	"github.com/resource-merge/resource-merge/merge"
)

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
