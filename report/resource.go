package report

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Resource is what became of one resource, or of one file without resources.
type Resource struct {
	// Group, Kind, Namespace and Name are the user's, as they may be seen. A file has
	// none of them.
	Group, Kind, Namespace, Name string
	// Subject names the resource: kind, namespace and name, or the file of one that
	// has no name.
	Subject string
	// File and Line are where the resource stands in the result; of a deleted one,
	// File is where it was. Line is 0 if it is unknown.
	File string
	Line int
	// From is the file that the resource was in, where upstream moved it; else "".
	From string
	// Action is what was done: changed, added, deleted, unchanged, or absent of one
	// that was not there and still is not.
	Action string
	// Word is Action as people are to read it: that of an apply is create or update.
	Word string
	// Conflicts are in the order of the resource's fields.
	Conflicts []*Conflict

	change *pkgmerge.Change     // nil of a file
	file   *pkgmerge.FileChange // nil of a resource
}

func (b builder) resource(c *pkgmerge.Change) (*Resource, error) {
	id, meta := c.Newest().ID(), c.Newest().Meta
	r := &Resource{
		Group: visible(id.Group), Kind: visible(meta.Kind), Namespace: visible(meta.Namespace), Name: visible(meta.Name),
		Subject: visible(subject(c)), Action: actionName(c.Action), change: c,
	}
	r.Word = r.Action
	if b.applies {
		r.Word = stepWord(c.Action)
	}
	r.File, r.Line = b.at(c, nil)
	if l := c.Versions[identity.Local]; c.Moved && l != nil {
		r.From = b.named(l.File)
	}
	var err error
	r.Conflicts, err = b.conflicts(c)
	return r, err
}

// Happened reports whether the merge did anything to the resource.
func (r *Resource) Happened() bool {
	return r.Action != actionName(pkgmerge.Unchanged) && r.Action != actionName(pkgmerge.Absent)
}

func actionName(a pkgmerge.Action) string {
	switch a {
	case pkgmerge.Unchanged:
		return "unchanged"
	case pkgmerge.Changed:
		return "changed"
	case pkgmerge.Added:
		return "added"
	case pkgmerge.Deleted:
		return "deleted"
	}
	return "absent"
}

// stepWord is what an apply does by an action.
func stepWord(a pkgmerge.Action) string {
	switch a {
	case pkgmerge.Added:
		return pkgmerge.Creates
	case pkgmerge.Changed:
		return pkgmerge.Updates
	case pkgmerge.Unchanged:
		return pkgmerge.Leaves
	}
	return actionName(a)
}
