package update

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// variant is a directory or a file of a version that has one of several resources of an identity: an overlay, or one of the manifests that
// a release has for several ways to install it.
type variant struct {
	name  string
	files []pkgmerge.File
}

// variantsOf returns the variants in a version: directories and files that have a resource of others, too, and each identity once.
// There is none if the path of a file of the copy tells which one is meant.
func variantsOf(p, local pkgmerge.Package) (found []variant) {
	byID := map[identity.ID][]string{}
	for _, r := range p.Resources {
		byID[r.ID()] = append(byID[r.ID()], r.File)
	}
	isSeen := map[string]bool{}
	for _, files := range byID {
		if len(files) < 2 {
			continue
		}
		for _, name := range files {
			if slices.ContainsFunc(local.Files, func(f pkgmerge.File) bool { return f.Name == name }) {
				return nil
			}
			for ; name != "." && !isSeen[name]; name = path.Dir(name) {
				if isSeen[name] = true; !hasTwice(byID, name) {
					found = append(found, variant{name, filesBelow(p.Files, name)})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b variant) int { return cmp.Compare(a.name, b.name) })
	return found
}

// isInVariant reports whether a file is a variant, or in its directory.
func isInVariant(name, variant string) bool {
	return name == variant || strings.HasPrefix(name, variant+"/")
}

// hasTwice reports whether a directory or file has two resources of one identity.
func hasTwice(byID map[identity.ID][]string, name string) bool {
	for _, files := range byID {
		count := 0
		for _, f := range files {
			if isInVariant(f, name) {
				count++
			}
		}
		if count > 1 {
			return true
		}
	}
	return false
}

// filesBelow returns the files of a variant, with their names in it.
func filesBelow(files []pkgmerge.File, variant string) (own []pkgmerge.File) {
	for _, f := range files {
		if !isInVariant(f.Name, variant) {
			continue
		}
		if f.Name == variant {
			f.Name = path.Base(variant)
		} else {
			f.Name = f.Name[len(variant)+1:]
		}
		own = append(own, f)
	}
	return own
}

// nearestVariant returns the variant of a version that lacks the fewest lines of a copy; of several such the one with the fewest other
// lines, a directory before a file in it.
func nearestVariant(version, local pkgmerge.Package) (nearest variant) {
	copied := linesOf(local.Files)
	var least [3]int
	for _, v := range variantsOf(version, local) {
		lines := linesOf(v.files)
		isFile := 0
		if len(v.files) == 1 && path.Base(v.name) == v.files[0].Name {
			isFile = 1
		}
		far := [3]int{missing(copied, lines), isFile, missing(lines, copied)}
		if nearest.name == "" || slices.Compare(far[:], least[:]) < 0 {
			nearest, least = v, far
		}
	}
	return nearest
}
