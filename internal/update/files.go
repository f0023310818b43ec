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

// dependency is a subpackage that has an upstream of its own.
type dependency struct {
	dir string
	*kptfile
	// direct says that no other subpackage is around it.
	direct bool
}

// dependencies are the subpackages that have an upstream of their own, without those
// in others of them, sorted.
func (fs files) dependencies() (all []dependency) {
	var around []string
	for _, f := range fs {
		if dir := path.Dir(f.Name); path.Base(f.Name) == "Kptfile" && dir != "." {
			around = append(around, dir)
		}
	}
	slices.Sort(around)
	for _, dir := range around {
		k := fs.kptfile(dir)
		inOther := slices.ContainsFunc(all, func(other dependency) bool { return isBelow(dir, other.dir) })
		if k == nil || k.upstream == nil || inOther {
			continue
		}
		direct := !slices.ContainsFunc(around, func(other string) bool { return isBelow(dir, other) })
		all = append(all, dependency{dir, k, direct})
	}
	return all
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
