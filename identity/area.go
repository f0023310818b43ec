package identity

import "path"

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
