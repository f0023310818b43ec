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

// shownPath returns a path without what it may not show. The element of a set is its own
// key: where that may hold a secret, the path ends at the list.
func shownPath(c *pkgmerge.Change, p *merge.Path) *merge.Path {
	if showsValues(c, merge.Conflict{Path: p}) {
		return p
	}
	var out *merge.Path
	for _, step := range p.Steps() {
		switch {
		case step.Keys == nil:
			out = out.Field(step.Field)
		case len(step.Keys) == 1 && step.Keys[0].Name == "":
			return out
		default:
			out = out.Element(step.Keys)
		}
	}
	return out
}
