package pkgmerge

import "path"

// isKustomization reports whether a resource is a kustomization.yaml, which may lack its
// kind and its apiVersion.
func isKustomization(r *Resource) bool { return r.Meta.Kind == "" && isKustomizationFile(r.File) }

func isKustomizationFile(name string) bool {
	switch path.Base(name) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}
