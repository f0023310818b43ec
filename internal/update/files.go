package update

import (
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// files are the files of a package, below its top.
type files []pkgmerge.File

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
