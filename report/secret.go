package report

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// showsValues reports whether the values of a conflict may be shown. Of what may
// hold secrets only its type and the names in its metadata are, and no comment (design 5).
func showsValues(m *pkgmerge.Change, c merge.Conflict) bool {
	path := c.Path.String()
	switch path {
	case "type", "metadata.name", "metadata.namespace", "metadata.generateName":
		if c.Kind != merge.CommentChanged {
			return true
		}
	}
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
