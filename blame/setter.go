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

// setters names the commits that set local's values in a merge.
type setters struct {
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

// Setter returns a function for reports on a merge into a directory of a repository (rules/blame: reports). It returns
// the commit that set local's value of a conflict, with its author and date; "" if it is not known.
func Setter(ctx context.Context, dir string, merged *pkgmerge.Result) func(*pkgmerge.Change, *merge.Path) string {
	s := &setters{dir: dir, merged: merged, files: map[string]map[spot]string{}}
	return func(c *pkgmerge.Change, at *merge.Path) string { return s.of(ctx, c, at) }
}

func (s *setters) of(ctx context.Context, c *pkgmerge.Change, at *merge.Path) string {
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
func (s *setters) read(ctx context.Context, file string) map[spot]string {
	paths := s.collided(file)
	if len(paths) == 0 {
		return nil
	}
	a, err := Run(ctx, Options{
		File: filepath.Join(s.dir, filepath.FromSlash(file)), at: &selector{exact: paths}, Limit: maxSetterCommits, Warn: func(error) {},
	})
	if err != nil {
		return nil
	}
	out := map[spot]string{}
	for _, u := range a.units {
		if u.isChosen && u.leaf != nil && u.leaf.isWhole && u.main.commit != nil && u.main.commit.tree != "" && !u.main.commit.isCut {
			out[spot{u.line, u.leaf.path.String()}] = u.main.commit.sentence()
		}
	}
	return out
}

// collided returns the paths of a file's values that collided, by their lines, as far as they are looked at.
func (s *setters) collided(file string) map[int][]string {
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
	return paths
}
