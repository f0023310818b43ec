package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

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
