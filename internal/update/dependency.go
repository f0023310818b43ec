package update

import (
	"path"
	"slices"
)

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
