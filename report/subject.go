package report

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// subject names a resource as the user knows it: kind, namespace and name of
// the local copy.
func subject(m *pkgmerge.Change) string { return subjectOf(m.Newest(), m.File()) }

func subjectOf(it *pkgmerge.Resource, file string) string {
	name := it.Meta.Name
	if it.Meta.Naming == identity.ByPath {
		name = file
	}
	if it.Meta.Namespace != "" {
		name = it.Meta.Namespace + "/" + name
	}
	return strings.TrimSpace(it.Meta.Kind + " " + name)
}

// line puts a message together: who, path and what is said of them. It leaves room
// for so many bytes after it.
func line(who string, at *merge.Path, said string, room int) string {
	path := at.String()
	if path != "" {
		path = " " + path
	}
	said = ": " + said
	if len(who)+len(path)+len(said)+room <= MaxMessage {
		return who + path + said
	}
	who = wording.Cut(who, maxWho)
	return who + wording.CutFront(path, max(MaxMessage-len(who)-len(said)-room, minPath)) + said
}
