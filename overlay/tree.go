package overlay

import (
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
	// tops are its kustomizations, that at the top first; none if the package lists nothing.
	tops []kustomization
	// files are those that it builds; resources of other files are not in it.
	files map[string]bool
	// mentioned are the files that its kustomizations name otherwise, such as patches.
	mentioned map[string]bool
	// acts are the fields of its kustomizations that do something to resources.
	acts []string
}

// kustomization is that of a directory of a package.
type kustomization struct {
	dir  string
	node *yaml.Node
}

// top is the kustomization at the top of the package, nil if it has none.
func (t tree) top() *yaml.Node { return t.in(".") }

// changes are the fields by which the kustomizations change values that a patch may be about:
// names, namespaces and what is generated are found whatever they are.
func (t tree) changes() []string {
	var none []string
	return append(none, slices.DeleteFunc(slices.Clone(t.acts), func(field string) bool {
		return slices.Contains([]string{"namespace", "namePrefix", "nameSuffix", "configMapGenerator", "secretGenerator", "generatorOptions"}, field)
	})...)
}

// in is the kustomization of a directory that is built, nil if it has none.
func (t tree) in(dir string) *yaml.Node {
	for _, k := range t.tops {
		if k.dir == dir {
			return k.node
		}
	}
	return nil
}

// documents are those of each file of a package.
type documents map[string][]*yaml.Node

// documentsOf reads those of a package.
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

// merged are the documents of the fork.
func merged(result *pkgmerge.Result) (documents, error) {
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

// tree is what kustomize builds (rules/overlay: compared resources): what kustomization.yaml
// lists, directly and in directories, else every file that has nothing but resources.
func (d documents) tree() tree {
	t := tree{files: map[string]bool{}, mentioned: map[string]bool{}}
	if d.kustomization(".") != nil {
		t.walk(d, ".")
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

// kustomization is that of a directory, nil if it has none.
func (d documents) kustomization(dir string) *yaml.Node {
	for _, name := range [3]string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if found := d[path.Join(dir, name)]; len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// isKustomizationFile reports whether a file is one by its name.
func isKustomizationFile(file string) bool {
	return slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, path.Base(file))
}

// walk follows a kustomization.
func (t *tree) walk(d documents, dir string) {
	k := d.kustomization(dir)
	if k == nil || t.in(dir) != nil {
		return
	}
	t.tops = append(t.tops, kustomization{dir, k})
	for _, field := range yamlnode.Names(k) {
		v := yamlnode.Field(k, field)
		switch field {
		case "apiVersion", "kind", "metadata":
		case "resources", "bases":
			for _, e := range yamlnode.Elements(v) {
				name := path.Join(dir, e.Value)
				if d[name] != nil {
					t.files[name] = true
					continue
				}
				t.walk(d, name)
			}
		default:
			if !slices.Contains(t.acts, field) {
				t.acts = append(t.acts, field)
			}
			t.mention(v, dir)
		}
	}
}

// mention notes what may be a name of a file.
func (t *tree) mention(n *yaml.Node, dir string) {
	if n.Kind == yaml.ScalarNode && !strings.Contains(n.Value, "\n") {
		name := n.Value
		if _, file, found := strings.Cut(name, "="); found { // of a generator
			name = file
		}
		t.mentioned[path.Join(dir, name)] = true
	}
	for _, c := range n.Content {
		t.mention(c, dir)
	}
}
