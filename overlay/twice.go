package overlay

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/patch"
)

// checkTwice finds two resources of one name in a package without a kustomization: kustomize
// builds no such package.
func (d documents) checkTwice() error {
	t := d.tree()
	if t.top() != nil {
		return nil
	}
	found := map[patch.Target]string{}
	for _, file := range slices.Sorted(maps.Keys(t.files)) {
		for _, n := range d[file] {
			if !transform.IsResource(n) {
				continue
			}
			is := patch.TargetOf(n)
			is.Namespace = transform.NamespaceOf(is)
			if other, twice := found[is]; twice {
				return fmt.Errorf("%s is in %s and in %s, and kustomize builds only one of a name: %s",
					subject(patch.TargetOf(n)), other, file, d.advice())
			}
			found[is] = file
		}
	}
	return nil
}

// advice says what to do with a package of which kustomize cannot build all files.
func (d documents) advice() string {
	for _, file := range slices.Sorted(maps.Keys(d)) {
		if isKustomizationFile(file) {
			return fmt.Sprintf("give a directory that has a kustomization.yaml, such as %s, or write one that lists the files in use", path.Dir(file))
		}
	}
	return "write a kustomization.yaml that lists the files in use"
}
