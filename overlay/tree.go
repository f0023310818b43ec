package overlay

import (
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// tree is a package as kustomize builds it.
type tree struct {
	// kustomizations are the kustomizations that are built, the one at the root first; none if the root has none.
	kustomizations []kustomization
	// files are the files with the built resources.
	files map[string]bool
	// referenced are the files that its kustomizations name in other fields, such as patches.
	referenced map[string]bool
	// fields are the fields of its kustomizations that transform or add resources.
	fields []string
}

// kustomization is the kustomization of a directory.
type kustomization struct {
	dir  string
	node *yaml.Node
	// files are the files with the resources that its patches find.
	files     map[string]bool
	deletions []deletion
}

// root returns the kustomization at the root of the package, nil if it has none.
func (t tree) root() *yaml.Node { return t.kustomization(".") }

// isComponent reports whether the package is a component of kustomize.
func (t tree) isComponent() bool {
	return yamlnode.Text(yamlnode.Field(t.root(), "kind")) == "Component"
}

// entryField returns the field in which an overlay lists the package.
func (t tree) entryField() string {
	if t.isComponent() {
		return "components"
	}
	return "resources"
}

// builds reports whether a document of a file is a resource that the package builds, unless a patch deletes it.
func (t tree) builds(n *yaml.Node, file string) bool {
	return transform.IsResource(n) && t.files[file]
}

// below returns the kustomizations of directories below the root.
func (t tree) below() []kustomization { return t.kustomizations[min(1, len(t.kustomizations)):] }

// valueFields returns the fields that change values a patch may address. Patches still find names,
// namespaces and generated resources that were changed.
func (t tree) valueFields() []string {
	return slices.DeleteFunc(slices.Clone(t.fields), func(field string) bool {
		return slices.Contains([]string{"namespace", "namePrefix", "nameSuffix", "configMapGenerator", "secretGenerator", "generatorOptions"}, field)
	})
}

// kustomization returns the kustomization of a directory that is built, nil if it has none.
func (t tree) kustomization(dir string) *yaml.Node {
	for _, k := range t.kustomizations {
		if k.dir == dir {
			return k.node
		}
	}
	return nil
}

// documents are the parsed documents of each file of a package.
type documents map[string][]*yaml.Node

func documentsOf(p pkgmerge.Package) (documents, error) {
	nodes := documents{}
	for _, r := range p.Resources {
		n, err := r.Tree()
		if err != nil {
			return nil, err
		}
		nodes[r.File] = append(nodes[r.File], n)
	}
	return nodes, nil
}

// mergedDocuments returns the documents of the fork.
func mergedDocuments(result *pkgmerge.Result) (documents, error) {
	nodes := documents{}
	for _, c := range result.Merged {
		_, fork, err := c.Contents()
		if err != nil {
			return nil, err
		}
		nodes[c.Result.File] = append(nodes[c.Result.File], fork)
	}
	return nodes, nil
}

// tree returns the files that kustomize builds (rules/overlay: compared resources): the entries of
// kustomization.yaml, also in directories, else every file that has only resources.
func (d documents) tree() tree {
	t := tree{files: map[string]bool{}, referenced: map[string]bool{}}
	if d.kustomization(".") != nil {
		t.walk(d, ".", t.files)
		return t
	}
	for file, nodes := range d {
		if !slices.ContainsFunc(nodes, func(n *yaml.Node) bool { return !isBuilt(n) }) {
			t.files[file] = true
		}
	}
	return t
}

// isBuilt reports whether kustomize may read a document, though it may leave it out.
func isBuilt(n *yaml.Node) bool {
	return transform.IsResource(n) || yamlnode.Annotation(n, "config.kubernetes.io/local-config") == "true" && yamlnode.Lookup(n, "metadata", "name") != nil &&
		yamlnode.Text(yamlnode.Field(n, "kind")) != "Kptfile"
}

// kustomization returns the kustomization of a directory, nil if it has none.
func (d documents) kustomization(dir string) *yaml.Node {
	for _, name := range [3]string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if found := d[path.Join(dir, name)]; len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// walk adds the kustomization of a directory and the directories that it lists, and adds its files to those around it. A
// component shares these: it changes the resources of the kustomization that lists it.
func (t *tree) walk(d documents, dir string, around map[string]bool) {
	k := d.kustomization(dir)
	if k == nil || t.kustomization(dir) != nil {
		return
	}
	files := around
	if yamlnode.Text(yamlnode.Field(k, "kind")) != "Component" {
		files = map[string]bool{}
		defer maps.Copy(around, files)
	}
	t.kustomizations = append(t.kustomizations, kustomization{dir: dir, node: k, files: files, deletions: d.deletionsOf(k, dir)})
	for _, field := range yamlnode.Names(k) {
		v := yamlnode.Field(k, field)
		switch field {
		case "apiVersion", "kind", "metadata":
		case "resources", "bases":
			t.walkListed(d, dir, v, files)
		case "components":
			t.walkListed(d, dir, v, files)
			fallthrough
		default:
			if !slices.Contains(t.fields, field) {
				t.fields = append(t.fields, field)
			}
			t.addReferences(v, dir)
		}
	}
}

// walkListed adds the files and the directories that a kustomization lists.
func (t *tree) walkListed(d documents, dir string, list *yaml.Node, files map[string]bool) {
	for _, e := range yamlnode.Elements(list) {
		name := path.Join(dir, e.Value)
		if d[name] != nil {
			files[name] = true
			continue
		}
		t.walk(d, name, files)
	}
}

// addReferences adds every scalar that may be the name of a file.
func (t *tree) addReferences(n *yaml.Node, dir string) {
	if n.Kind == yaml.ScalarNode && !strings.Contains(n.Value, "\n") {
		name := n.Value
		if _, file, found := strings.Cut(name, "="); found { // of a generator
			name = file
		}
		t.referenced[path.Join(dir, name)] = true
	}
	for _, c := range n.Content {
		t.addReferences(c, dir)
	}
}
