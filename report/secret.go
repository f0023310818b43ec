package report

import (
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// showsValues reports whether the values of a conflict may be shown. Of a resource
// that may hold secrets only its type and the names in its metadata are, and no comment (design 5).
func showsValues(m *pkgmerge.Change, c merge.Conflict) bool {
	path := c.Path.String()
	switch path {
	case "type", "metadata.name", "metadata.namespace", "metadata.generateName":
		if c.Kind != merge.CommentChanged {
			return true
		}
	}
	return !m.MayHoldSecret(c.Path)
}
