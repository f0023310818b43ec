package blame

import (
	"context"
	"path/filepath"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// maxSetterFiles, maxSetterConflicts and maxSetterCommits bound the files, conflicts and commits that a report looks at.
const (
	maxSetterFiles     = 20
	maxSetterConflicts = 500
	maxSetterCommits   = 2000
)

// Setters names the commits that set local's values in a merge, for reports (rules/blame: reports).
type Setters struct {
	dir    string
	merged *pkgmerge.Result
	files  map[string]map[spot]string
	count  int // of the conflicts that were looked at
}

// spot is a field of a file.
type spot struct {
	line int
	path string
}

// NewSetters returns the setters of a merge into a directory of a repository.
func NewSetters(dir string, merged *pkgmerge.Result) *Setters {
	return &Setters{dir: dir, merged: merged, files: map[string]map[spot]string{}}
}

// Of returns the commit that set local's value of a conflict, with its author and date; "" if it is not known.
func (s *Setters) Of(ctx context.Context, c *pkgmerge.Change, at *merge.Path) string {
	if !c.Has(identity.Local) || at == nil {
		return ""
	}
	file := c.Versions[identity.Local].File
	known, read := s.files[file]
	if !read && len(s.files) < maxSetterFiles {
		known = s.read(ctx, file)
		s.files[file] = known
	}
	_, line := s.merged.SideLocation(c, identity.Local, at)
	return known[spot{line, at.String()}]
}

// read finds the commits of the values in a file that collided. What cannot be found is not named.
func (s *Setters) read(ctx context.Context, file string) map[spot]string {
	paths := map[int][]string{}
	for _, c := range s.merged.Changes {
		if c.Has(identity.Local) && c.Versions[identity.Local].File == file {
			for _, conflict := range c.Conflicts {
				if conflict.Path == nil || s.count == maxSetterConflicts {
					continue
				}
				s.count++
				_, line := s.merged.SideLocation(c, identity.Local, conflict.Path)
				paths[line] = append(paths[line], conflict.Path.String())
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	a, err := Run(ctx, Options{
		File: filepath.Join(s.dir, filepath.FromSlash(file)), Path: &Selector{exact: paths}, Limit: maxSetterCommits, Warn: func(error) {},
	})
	if err != nil {
		return nil
	}
	out := map[spot]string{}
	for _, u := range a.units {
		if u.isChosen && u.leaf != nil && u.leaf.isWhole && u.main.commit != nil && u.main.commit.tree != "" {
			out[spot{u.line, u.leaf.path.String()}] = u.main.commit.String()
		}
	}
	return out
}
