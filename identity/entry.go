package identity

import (
	"path"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
)

// Entry is one item of one side, as matching sees it.
type Entry struct {
	Meta
	// Path is the item's file below its side's directory, "" if unknown.
	Path string
	// Package is the directory of the package that holds the item, below its
	// side's directory: the nearest one with a Kptfile.
	Package string
	// Identifier is kpt's upstream-identifier annotation, "" if there is none.
	Identifier string
	// ClusterScoped says that resources of the kind are in no namespace, so that
	// one that is written down says nothing.
	ClusterScoped bool
}

// Own is the entry's ID by its own metadata, or by its path where that is what
// identifies it.
func (e Entry) Own() ID {
	id := e.PlainID()
	if e.Naming == ByPath {
		id.Namespace, id.Name = "", e.Path
	}
	return e.scoped(id)
}

// ID is the entry's identity: namespace and name come from the merge comment if
// there is a well-formed one, else from the entry itself. What lies at a path
// is identified by that path whatever its comment says.
func (e Entry) ID() ID {
	id := e.Own()
	if c, ok := e.mergeComment(); ok {
		id.Namespace, id.Name = c.Namespace, c.Name
	}
	return e.scoped(id)
}

// mergeComment is the entry's merge comment, if it has one that counts.
func (e Entry) mergeComment() (Comment, bool) {
	if e.Naming == ByPath || !bookkeeping.IsMergeComment(e.Comment) {
		return Comment{}, false
	}
	c, err := ParseComment(e.Comment)
	return c, err == nil
}

// scoped takes the namespace off an ID of the entry whose kind has none.
func (e Entry) scoped(id ID) ID {
	if e.ClusterScoped {
		id.Namespace = ""
	}
	return id
}

// area says where an entry lies, as far as that has to be equal.
type area func(Entry) string

func inFile(e Entry) string { return e.Path }

func anywhere(Entry) string { return "" }

func inDirectory(e Entry) string { return path.Dir(e.Path) }

func inPackage(e Entry) string { return e.Package }

type idAt struct {
	id   ID
	path string
}

func anyNamespace(id ID) ID {
	id.Namespace = ""
	return id
}
