package main

import (
	"strings"

	"github.com/resource-merge/resource-merge/tests/history"
)

// finding is a file whose merge somebody has to look at.
type finding struct {
	history.File
	what string
	// texts are the versions of the file, and the results: base, ours, theirs,
	// git's, the driver's, the people's.
	texts map[string][]byte
}

// kind is the finding's kind, without its subject.
func (f finding) kind() string {
	kind, _, _ := strings.Cut(f.what, ":")
	return kind
}

// stillInConflict is the kind of a file that both git and the driver leave in conflict.
const stillInConflict = "in conflict"

// leftToGit begins the reason why the driver left a file to git.
const leftToGit = "left to git: "
