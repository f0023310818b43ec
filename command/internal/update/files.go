package update

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// files are the files of a package, below its top.
type files []pkgmerge.File

// filesOf are the files of a version.
func filesOf(v *gitrepo.Version) files { return file.As[pkgmerge.File](v.Files) }

// unignored are the files of a version that neither its own .krmignore names nor one of
// local's: what local ignores is no part of the copy, whatever lies there.
func (fs files) unignored(local files) files {
	return file.WithoutIgnored(file.WithoutIgnored(fs, fs), local)
}

// isBelow reports whether a file lies in a directory, or deeper.
func isBelow(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

// in are the files of a directory, with their names below it.
func (fs files) in(dir string) (inside files) {
	for _, f := range fs {
		if isBelow(f.Name, dir) {
			f.Name = f.Name[len(dir)+1:]
			inside = append(inside, f)
		}
	}
	return inside
}

// without are the files that a test does not name.
func (fs files) without(drop func(name string) bool) files {
	return slices.DeleteFunc(slices.Clone(fs), func(f pkgmerge.File) bool { return drop(f.Name) })
}

// and are the files and others, which lie in a directory; sorted by name.
func (fs files) and(others files, dir string) files {
	all := slices.Clone(fs)
	for _, f := range others {
		f.Name = path.Join(dir, f.Name)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// find is the file of that name, nil if there is none.
func (fs files) find(name string) *pkgmerge.File {
	for i := range fs {
		if fs[i].Name == name {
			return &fs[i]
		}
	}
	return nil
}

// put are the files with one that replaces what had its name.
func (fs files) put(f pkgmerge.File) files {
	return fs.without(func(name string) bool { return name == f.Name }).and(files{f}, "")
}

// kptfile is what the Kptfile in a directory says, nil if there is none that kpt
// could read.
func (fs files) kptfile(dir string) *kptfile {
	f := fs.find(path.Join(dir, "Kptfile"))
	if f == nil {
		return nil
	}
	k, err := readKptfile(*f)
	if err != nil {
		return nil
	}
	return k
}

// ParseArgument splits PKG@VERSION, either of which may be missing: the package is
// then the current directory, and the version the Kptfile's.
func ParseArgument(arg string) (dir, version string, err error) {
	dir, version, found := strings.Cut(arg, "@")
	if strings.Contains(version, "@") {
		return "", "", errors.New("at most 1 version permitted")
	}
	if found && version == "" {
		return "", "", fmt.Errorf("no version follows the @ of %q", arg)
	}
	if dir == "" {
		dir = "."
	}
	return dir, version, nil
}

// DirtyError is the error of a package that git doesn't have as it is: what an
// update does to it could not be taken back.
type DirtyError struct {
	// Dir is the package, Files are those that git doesn't have, below the top of the
	// repository.
	Dir   string
	Files []string
}

func (e *DirtyError) Error() string {
	text := fmt.Sprintf("package %q contains uncommitted changes: %q", e.Dir, e.Files[0])
	if more := len(e.Files) - 1; more > 0 {
		text += fmt.Sprintf(" and %s", wording.Plural(more, "other file"))
	}
	return text
}

// CheckClean returns a *DirtyError if a package has changes, staged or not, or untracked
// files that git does not ignore (rules/update: refused packages). work is where the package
// was found; there is nothing to check outside of a repository, where it is nil.
func CheckClean(ctx context.Context, work *gitrepo.WorkTree, dir string) error {
	if work == nil {
		return nil
	}
	changes, err := work.Changes(ctx)
	if err == nil && len(changes) > 0 {
		err = &DirtyError{Dir: dir, Files: changes}
	}
	return err
}
