package report

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// showsValues reports whether the values of a conflict may be shown. Of what may
// hold secrets only its type and the names in its metadata are (design 5).
func showsValues(m *pkgmerge.Change, c merge.Conflict) bool {
	path := c.Path.String()
	switch path {
	case "type", "metadata.name", "metadata.namespace", "metadata.generateName":
		return true
	}
	return showsComment(m, c.Path)
}

// showsComment reports whether a comment at a path may be shown: of what may hold
// secrets, none.
func showsComment(m *pkgmerge.Change, at *merge.Path) bool {
	path := at.String()
	return !slices.ContainsFunc(m.Versions[:], func(it *pkgmerge.Resource) bool { return it != nil && mayHoldSecret(it.Meta.Kind, path) })
}

// mayHoldSecret reports whether the value at a path of a kind may hold a secret: a
// Secret, a list unless the path leads into an item of another kind, and what a
// Kustomization makes Secrets of.
func mayHoldSecret(kind, path string) bool {
	switch kind {
	case "Secret", "SecretList":
		return true
	case "List":
		return !strings.Contains(path, `kind="`) || strings.Contains(path, `kind="Secret`) || strings.Contains(path, `kind="List"`)
	case "Kustomization", "Component":
		return path == "" || strings.HasPrefix(path, "secretGenerator")
	}
	return false
}
