package gitrepo

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// runner runs git in a repository.
type runner func(context.Context, command) ([]byte, error)

// object is an entry of a tree.
type object struct {
	mode, kind, id string
	// name is the object's below the directory that was listed, which is above.
	name, above string
}

const (
	executable = "100755"
	symlink    = "120000"
)

// fullName is the object's name below the top of the repository.
func (o object) fullName() string { return path.Join(o.above, o.name) }

// checkName returns an error about a name that git itself never writes, but that
// somebody may have written into a tree to have files elsewhere.
func checkName(name string) error {
	if name == "." || name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("the file name %q is none", name)
	}
	for step := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(step, ".git") || strings.ContainsRune(step, 0) {
			return fmt.Errorf("the file name %q is none", name)
		}
	}
	return nil
}
