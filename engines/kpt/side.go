package kpt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
)

// sides are the versions of a package, without the subpackages for which kpt makes calls of their own.
type sides struct {
	packages [3]pkgmerge.Package
	// below is the directory that the files are placed in, "" for a root: a Kptfile
	// that lies in a directory is a subpackage's.
	below string
}

// read reads the versions, after it has recovered the files of a killed update. With all,
// subpackages with an upstream of their own take part.
func read(ctx context.Context, o Options, all bool) (*sides, error) {
	if _, err := sink.Recover(o.LocalPath); err != nil {
		return nil, err
	}
	origin := source.Source(source.Dir(o.OriginPath))
	if _, err := os.Stat(o.OriginPath); errors.Is(err, fs.ErrNotExist) {
		origin = source.Nothing{}
	}
	packages, err := source.Three(ctx, origin, source.Dir(o.UpdatedPath), source.Dir(o.LocalPath))
	if err != nil {
		return nil, err
	}
	s := &sides{packages: packages, below: below(o)}
	var dirs []string
	if !all {
		if dirs, err = remote(packages); err != nil {
			return nil, err
		}
	}
	return s, s.take(dirs, o.IsRoot)
}

// below returns the directory of a subpackage in the root, "" for a root.
func below(o Options) string {
	if o.IsRoot {
		return ""
	}
	if dir := strings.Trim(path.Clean(filepath.ToSlash(o.RelPackagePath)), "/"); dir != "" && dir != "." {
		return dir
	}
	return filepath.Base(o.LocalPath)
}

// take leaves out the files in some directories, and places the other files below s.below.
func (s *sides) take(without []string, isRoot bool) (err error) {
	var bare []byte
	if isRoot {
		bare = s.bareKptfile()
	}
	for side, p := range s.packages {
		files := outside(p.Files, without)
		if len(p.Files) > 0 {
			files = withKptfile(files, bare)
		}
		if s.below == "" && slices.EqualFunc(files, p.Files, func(a, b pkgmerge.File) bool { return a.Name == b.Name }) {
			continue
		}
		for i := range files {
			files[i].Name = path.Join(s.below, files[i].Name)
		}
		if s.packages[side], err = pkgmerge.NewVersion(files, p); err != nil {
			return fmt.Errorf("%s: %w", identity.Side(side), err)
		}
		s.packages[side].Source = p.Source
	}
	return nil
}

// outside returns the files that lie in none of some directories.
func outside(files []pkgmerge.File, dirs []string) []pkgmerge.File {
	return slices.DeleteFunc(slices.Clone(files), func(f pkgmerge.File) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return isBelow(f.Name, dir) })
	})
}

// withKptfile returns the files of a version. If they lack a Kptfile, they get the bare
// one, unless that is nil.
func withKptfile(files []pkgmerge.File, bare []byte) []pkgmerge.File {
	has := slices.ContainsFunc(files, func(f pkgmerge.File) bool { return f.Name == "Kptfile" })
	if has || bare == nil {
		return files
	}
	return append(files, pkgmerge.File{Name: "Kptfile", Mode: 0o644, Data: bare})
}

// bareKptfile returns a Kptfile with nothing but local's name, for versions without one:
// a package needs none in its repository, and that is no deletion. It returns nil if local
// has none.
func (s *sides) bareKptfile() []byte {
	for _, r := range s.packages[identity.Local].Resources {
		if r.File == "Kptfile" {
			return fmt.Appendf(nil, "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: %q\n", r.Meta.Name)
		}
	}
	return nil
}

// unplaced returns files under their names in the package, without s.below.
func (s *sides) unplaced(files []pkgmerge.File) []pkgmerge.File {
	if s.below == "" {
		return files
	}
	files = slices.Clone(files)
	for i := range files {
		files[i].Name = strings.TrimPrefix(files[i].Name, s.below+"/")
	}
	return files
}
