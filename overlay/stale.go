package overlay

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Stale are the files of an earlier overlay in a directory that a new one does not have:
// patches and resources that its kustomization lists, under the names that an overlay gives
// them. What somebody else put there is not among them.
func Stale(dir fs.FS, files []pkgmerge.File) []string {
	k := read(dir, "kustomization.yaml")
	var stale []string
	listed := func(name string, targets ...*yaml.Node) {
		isNew := slices.ContainsFunc(files, func(f pkgmerge.File) bool { return f.Name == name })
		if !isNew && fs.ValidPath(name) && isNamedFor(path.Base(name), append(targets, read(dir, name))) && !slices.Contains(stale, name) {
			stale = append(stale, name)
		}
	}
	for _, entry := range yamlnode.Elements(yamlnode.Field(k, "patches")) {
		if name := yamlnode.Text(yamlnode.Field(entry, "path")); path.Dir(name) == "patches" {
			listed(name, yamlnode.Field(entry, "target"))
		}
	}
	for _, entry := range yamlnode.Elements(yamlnode.Field(k, "resources")) {
		if path.Dir(entry.Value) == "." {
			listed(entry.Value)
		}
	}
	return stale
}

// read is the one document of a file, nil if it has none.
func read(dir fs.FS, name string) *yaml.Node {
	text, err := fs.ReadFile(dir, name)
	var n yaml.Node
	if err != nil || yaml.Unmarshal(text, &n) != nil || len(n.Content) != 1 {
		return nil
	}
	return n.Content[0]
}

// isNamedFor reports whether a file has the name that an overlay gives that of a resource, or
// of a patch of a target.
func isNamedFor(file string, of []*yaml.Node) bool {
	return slices.ContainsFunc(of, func(n *yaml.Node) bool {
		t := patch.TargetOf(n)
		if t.Kind == "" {
			return false
		}
		if t.Name == "" { // a target, in which the name is a regular expression
			t.Name = strings.ReplaceAll(yamlnode.Text(yamlnode.Field(n, "name")), "\\", "")
		}
		return t.Name != "" && strings.HasPrefix(file, strings.TrimSuffix(patch.FileNames{}.Of(t), ".yaml"))
	})
}
