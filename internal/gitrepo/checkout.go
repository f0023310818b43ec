package gitrepo

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
)

// checkOut reads files as git would check them out of the tree: with the
// .gitattributes of the tree, above the directory and in it. Git looks for them in
// a work tree, so they are put into one for that time.
func (run runner) checkOut(ctx context.Context, texts, attributes []object) (contents [][]byte, err error) {
	for _, o := range texts {
		if path.Base(o.name) == ".gitattributes" {
			attributes = append(attributes, o)
		}
	}
	rules, err := run.batch(ctx, attributes, nil)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for i, o := range attributes {
		file := filepath.Join(work, filepath.FromSlash(o.fullName()))
		err = errors.Join(checkName(o.fullName()), os.MkdirAll(filepath.Dir(file), 0o700))
		if err == nil {
			err = os.WriteFile(file, rules[i], 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	return run.batch(ctx, texts, &command{
		dir:  work,
		args: []string{"-c", "core.bare=false", "--work-tree=" + work},
	})
}
