package cli

import (
	"cmp"
	"path/filepath"
)

// relative is the way from one directory to another, as kustomize writes it. Links on the way are
// followed, as kustomize follows them.
func relative(from, to string) (string, error) {
	var paths [2]string
	for i, dir := range [2]string{from, to} {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		paths[i] = resolved(absolute)
	}
	way, err := filepath.Rel(paths[0], paths[1])
	return filepath.ToSlash(way), err
}

// resolved is a path without links, as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil || filepath.Dir(path) == path {
		return cmp.Or(real, path)
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}
