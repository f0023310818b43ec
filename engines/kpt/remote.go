package kpt

import (
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// remote are the subpackages that have an upstream of their own in some version, and
// that no other subpackage is around: kpt asks for these itself. One in another
// subpackage takes part in the merge, because nobody else would ask for it.
func remote(packages [3]pkgmerge.Package) (dirs []string, err error) {
	for _, p := range packages {
		var around []string
		for _, r := range kptfiles(p) {
			around = append(around, path.Dir(r.File))
		}
		for _, r := range kptfiles(p) {
			dir := path.Dir(r.File)
			if slices.ContainsFunc(around, func(outer string) bool { return isBelow(dir, outer) }) {
				continue
			}
			has, err := hasUpstream(r)
			if err != nil {
				return nil, err
			}
			if has {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs, nil
}

// kptfiles are the Kptfiles of the subpackages.
func kptfiles(p pkgmerge.Package) (all []*pkgmerge.Resource) {
	for _, r := range p.Resources {
		if path.Base(r.File) == "Kptfile" && path.Dir(r.File) != "." {
			all = append(all, r)
		}
	}
	return all
}

// hasUpstream reports whether a Kptfile says where its package is from.
func hasUpstream(kptfile *pkgmerge.Resource) (bool, error) {
	tree, err := kptfile.Tree()
	if err != nil {
		return false, err
	}
	for i := 0; i+1 < len(tree.Content); i += 2 {
		if tree.Content[i].Value == "upstream" {
			return true, nil
		}
	}
	return false, nil
}

// isBelow reports whether a file lies in a directory, or deeper.
func isBelow(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }
