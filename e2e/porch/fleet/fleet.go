// Package fleet makes a fleet: two versions of an upstream package, and customised
// copies of the first as different people would have made them. The same number always
// gives the same copy.
package fleet

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed upstream
var upstream embed.FS

// Files are the files of a package: name to text.
type Files map[string]string

// Names are the names of the files, in order.
func (f Files) Names() []string { return slices.Sorted(maps.Keys(f)) }

// Upstream is a version of the upstream package, v1 or v2, of so many components. Each
// component is a directory of four or five resources.
func Upstream(version string, components int) (Files, error) {
	files := Files{}
	for i := range components {
		err := component(files, version, fmt.Sprintf("shop-%03d", i))
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// component adds the files of a component to a package.
func component(files Files, version, name string) error {
	dir := path.Join("upstream", version)
	entries, err := fs.ReadDir(upstream, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(upstream, path.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		files[path.Join(name, entry.Name())] = strings.ReplaceAll(string(text), "NAME", name)
	}
	return nil
}
