package identity

import (
	"path"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
)

// Entry is one item of one side, for matching.
type Entry struct {
	Meta
	// Path is the item's file below its side's directory, "" if unknown.
	Path string
	// Package is the directory of the package that holds the item, below its side's directory: the
	// nearest one with a Kptfile.
	Package string
	// Identifier is kpt's upstream-identifier annotation, "" if there is none.
	Identifier string
	// ClusterScoped reports that the kind has no namespaces; a namespace in the metadata is
	// ignored.
	ClusterScoped bool
}

// OwnID returns the ID by the entry's metadata, or by its path if the path identifies it.
func (e Entry) OwnID() ID {
	id := e.PlainID()
	if e.Naming == ByPath {
		id.Namespace, id.Name = "", e.Path
	}
	return e.scoped(id)
}

// ID returns the entry's identity: namespace and name of a well-formed merge comment, else of the
// entry itself. An item that its path identifies ignores the comment.
func (e Entry) ID() ID {
	id := e.OwnID()
	if c, ok := e.mergeComment(); ok {
		id.Namespace, id.Name = c.Namespace, c.Name
	}
	return e.scoped(id)
}

// mergeComment returns the entry's merge comment, if it is well-formed and not ignored.
func (e Entry) mergeComment() (Comment, bool) {
	if e.Naming == ByPath || !bookkeeping.IsMergeComment(e.Comment) {
		return Comment{}, false
	}
	c, err := ParseComment(e.Comment)
	return c, err == nil
}

// scoped removes the namespace of an ID of the entry if its kind has none.
func (e Entry) scoped(id ID) ID {
	if e.ClusterScoped {
		id.Namespace = ""
	}
	return id
}

// area returns the part of an entry's location that has to be equal.
type area func(Entry) string

func inFile(e Entry) string { return e.Path }

func anywhere(Entry) string { return "" }

func inDirectory(e Entry) string { return path.Dir(e.Path) }

func inPackage(e Entry) string { return e.Package }

type areaKey struct {
	id   ID
	area string
}

func withoutNamespace(id ID) ID {
	id.Namespace = ""
	return id
}
