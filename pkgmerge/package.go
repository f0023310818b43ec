package pkgmerge

import (
	"path"
	"strings"
)

// Package is one version of a package: its resources, in the order of its files.
type Package struct {
	Resources []*Resource
	// Skipped are the files that were left out when the package was read.
	Skipped []SkippedFile
	// Source is what messages about Skipped call the place where the package was
	// read; "" is the name of the side.
	Source string
	// Dir is where the package lies in a tree of several. Messages have it in front of
	// the files of what the merge adds. "" is the top of the tree.
	Dir string
}

// SkippedFile is a file of a package that was left out: its name says that it has
// resources, and it is no YAML, or has something other than resources in it, as a
// Helm chart's templates do (design 8).
type SkippedFile struct {
	// File is the file below the top of its package, with slashes.
	File string
	// Reason says why the file was left out.
	Reason string
}

// findPackages returns the directory of the package that each resource is in:
// the nearest one with a Kptfile, "." for the package that is merged itself.
func findPackages(resources []*Resource) []string {
	dirs := map[string]bool{}
	for _, r := range resources {
		if r.isKptfile() && r.File != "" {
			dirs[path.Dir(r.File)] = true
		}
	}
	out := make([]string, len(resources))
	for i, r := range resources {
		out[i] = nearest(dirs, path.Dir(r.File))
	}
	return out
}

// nearest is the deepest of the packages that holds dir, "." if none does.
func nearest(packages map[string]bool, dir string) string {
	for len(packages) > 0 && dir != "." && dir != "/" {
		if packages[dir] {
			return dir
		}
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
		if dir == "" {
			break
		}
	}
	return "."
}
