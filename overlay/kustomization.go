package overlay

import (
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// tree is a package as kustomize builds it.
type tree struct {
	// top is the kustomization at the top of the package, nil if it has none.
	top *yaml.Node
	// files are those that it builds; resources of other files are not in it.
	files map[string]bool
	// acts are the fields of its kustomizations that do something to resources.
	acts []string
}

// readTree reads what a package builds: what its kustomization.yaml lists, directly and in
// directories, else every file that has nothing but resources.
func readTree(p pkgmerge.Package) (tree, error) {
	t := tree{files: map[string]bool{}}
	nodes, err := nodesOf(p)
	if err != nil {
		return t, err
	}
	if t.top = kustomizationIn(nodes, "."); t.top != nil {
		t.walk(nodes, ".", map[string]bool{})
		return t, nil
	}
	for _, r := range p.Resources {
		if !slices.ContainsFunc(nodes[r.File], func(n *yaml.Node) bool { return !isBuilt(n) }) {
			t.files[r.File] = true
		}
	}
	return t, nil
}

// nodesOf are the documents of each file of a package.
func nodesOf(p pkgmerge.Package) (map[string][]*yaml.Node, error) {
	nodes := map[string][]*yaml.Node{}
	for _, r := range p.Resources {
		n, err := r.Tree()
		if err != nil {
			return nil, err
		}
		nodes[r.File] = append(nodes[r.File], n)
	}
	return nodes, nil
}

// isBuilt reports whether kustomize may read a document, though it may leave it out.
func isBuilt(n *yaml.Node) bool {
	return isResource(n) || yamlnode.Annotation(n, "config.kubernetes.io/local-config") == "true" && yamlnode.Lookup(n, "metadata", "name") != nil &&
		yamlnode.Text(yamlnode.Field(n, "kind")) != "Kptfile"
}

// kustomizationIn is the kustomization of a directory, nil if it has none.
func kustomizationIn(nodes map[string][]*yaml.Node, dir string) *yaml.Node {
	for _, name := range [3]string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		if found := nodes[path.Join(dir, name)]; len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// walk follows a kustomization.
func (t *tree) walk(nodes map[string][]*yaml.Node, dir string, seen map[string]bool) {
	k := kustomizationIn(nodes, dir)
	if seen[dir] || k == nil {
		return
	}
	seen[dir] = true
	for _, field := range yamlnode.Names(k) {
		switch field {
		case "apiVersion", "kind", "metadata":
		case "resources", "bases":
			for _, e := range yamlnode.Elements(yamlnode.Field(k, field)) {
				name := path.Join(dir, e.Value)
				if nodes[name] != nil {
					t.files[name] = true
					continue
				}
				t.walk(nodes, name, seen)
			}
		default:
			if !slices.Contains(t.acts, field) {
				t.acts = append(t.acts, field)
			}
		}
	}
}

// listing is the kustomization that a package without one needs.
func listing(p pkgmerge.Package, t tree) *yaml.Node {
	k, listed := newKustomization(), map[string]bool{}
	for _, r := range p.Resources {
		if t.files[r.File] && !listed[r.File] {
			listed[r.File] = true
			resources := sequence(k, "resources")
			resources.Content = append(resources.Content, yamlnode.String(r.File))
		}
	}
	return k
}

func newKustomization() *yaml.Node {
	return mapOf([2]string{"apiVersion", "kustomize.config.k8s.io/v1beta1"}, [2]string{"kind", "Kustomization"})
}

// carry takes what the fork's kustomization does beyond the base's into the overlay, as far
// as it may be done on top of the base; the names of other fields that differ come back.
func carry(k, base, fork *yaml.Node) (differing []string) {
	for _, field := range yamlnode.Names(fork) {
		was, is := yamlnode.Field(base, field), yamlnode.Field(fork, field)
		switch field {
		case "apiVersion", "kind", "metadata", "resources", "bases":
			continue
		}
		switch {
		case merge.Same(was, is):
		case was == nil && onTop(field):
			k.Content = append(k.Content, yamlnode.String(field), is)
		default:
			differing = append(differing, field)
		}
	}
	for _, field := range yamlnode.Names(base) {
		if fork != nil && field != "bases" && field != "resources" && field != "metadata" && yamlnode.Field(fork, field) == nil {
			differing = append(differing, field)
		}
	}
	return differing
}

// onTop reports whether a field of a kustomization does the same in one above.
func onTop(field string) bool {
	return slices.Contains([]string{"namespace", "namePrefix", "nameSuffix", "images", "replicas", "labels", "commonLabels", "commonAnnotations"}, field)
}
