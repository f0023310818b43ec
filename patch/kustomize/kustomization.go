package kustomize

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Files are the files of a version of a repository.
type Files struct {
	// IDs has the name of each file, with slashes, and an id that is equal where the bytes are.
	IDs map[string]string
	// Read returns the bytes of a file.
	Read func(name string) ([]byte, error)
}

// Has reports whether there is a file.
func (f Files) Has(name string) bool { _, found := f.IDs[name]; return found }

// IsYAML reports whether a name is that of a YAML file.
func IsYAML(name string) bool { return slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)) }

// FileOf returns the file of a directory that is its kustomization, "" if there is none.
func FileOf(in Files, dir string) string {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if name = path.Join(dir, name); in.Has(name) {
			return name
		}
	}
	return ""
}

// errNoKustomization says that a directory has no kustomization.
var errNoKustomization = errors.New("there is no kustomization")

// isFlux reports whether a kustomization is the spec of one of Flux, which builds all files of a directory without one.
func (k Kustomization) isFlux() bool { return yamlnode.Field(k.Node, "sourceRef") != nil }

// everything returns the resources of all YAML files at and below a directory.
func everything(in Files, dir string) (items []*Item, err error) {
	for _, name := range slices.Sorted(maps.Keys(in.IDs)) {
		if !IsYAML(name) || dir != "." && !strings.HasPrefix(name, dir+"/") {
			continue
		}
		found, err := resources(in, name)
		if err != nil {
			return nil, err
		}
		items = append(items, found...)
	}
	return items, nil
}

// Read reads the kustomization of a directory.
func Read(in Files, dir string) (k Kustomization, err error) {
	k = Kustomization{File: FileOf(in, dir), Dir: dir, Tree: in}
	if k.File == "" {
		return k, fmt.Errorf("%s: %w", dir, errNoKustomization)
	}
	all, err := Parse(in, k.File)
	if err != nil {
		return k, err
	}
	if len(all) == 1 {
		k.Node = all[0]
	}
	return k, nil
}

// Parse returns the documents of a file.
func Parse(in Files, name string) ([]*yamlnodes.Node, error) {
	if !in.Has(name) {
		return nil, fmt.Errorf("%s: there is no such file", name)
	}
	data, err := in.Read(name)
	if err != nil {
		return nil, err
	}
	all, err := yamlnode.Documents(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// Graph has the kustomizations of a version of a repository, which refer to each other.
type Graph struct {
	Files Files
	// above has the directories that include a directory; nil until it is asked for.
	above map[string][]string
}

// Above returns the directories whose kustomizations include a directory or file, by its name.
func (k *Graph) Above() map[string][]string {
	if k.above != nil {
		return k.above
	}
	k.above = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(k.Files.IDs)) {
		in := path.Dir(name)
		if FileOf(k.Files, in) != name {
			continue
		}
		one, err := Read(k.Files, in)
		if err != nil {
			continue // what cannot be parsed includes nothing
		}
		for _, field := range []string{"resources", "bases", "components"} {
			for _, n := range one.Entries(field) {
				if !IsRemote(n.Value) {
					at := path.Join(in, n.Value)
					k.above[at] = append(k.above[at], in)
				}
			}
		}
	}
	return k.above
}

// At returns a directory and the directories that include it, also by way of others.
func (k *Graph) At(dir string) (dirs []string) {
	above := k.Above()
	var climb func(dir string)
	climb = func(dir string) {
		if slices.Contains(dirs, dir) {
			return
		}
		dirs = append(dirs, dir)
		for _, in := range above[dir] {
			climb(in)
		}
	}
	climb(dir)
	return dirs
}

// Roots returns the directories that include a directory and are in no other, itself if there is none. A component is no root.
func (k *Graph) Roots(dir string) (roots []string) {
	above := k.Above()
	return slices.DeleteFunc(k.At(dir), func(root string) bool {
		one, err := Read(k.Files, root)
		return len(above[root]) > 0 || err == nil && yamlnode.TextAt(one.Node, "kind") == "Component"
	})
}

// OfApplication returns the kustomize field of an Application of Argo CD as the fields of a kustomization: with its images, texts such
// as name=new:tag, as entries.
func OfApplication(field *yamlnodes.Node) *yamlnodes.Node {
	images := yamlnode.Field(field, "images")
	if images == nil {
		return field
	}
	list := &yamlnodes.Node{Kind: yamlnodes.SequenceNode, Tag: "!!seq", Line: images.Line, Column: images.Column}
	for _, n := range yamlnode.Elements(images) {
		name, to, isRenamed := strings.Cut(n.Value, "=")
		newName, tag, digest := transform.SplitImage(cmp.Or(to, name))
		if !isRenamed {
			name = newName
		}
		entry := &yamlnodes.Node{Kind: yamlnodes.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		for _, field := range [][2]string{{"name", name}, {"newName", newName}, {"newTag", tag}, {"digest", digest}} {
			if field[1] != "" {
				entry.Content = append(entry.Content, yamlnode.String(field[0]), yamlnode.String(field[1]))
			}
		}
		list.Content = append(list.Content, entry)
	}
	return yamlnode.WithField(field, "images", list)
}
