package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// findPrograms makes the paths of the programs absolute, and builds the function
// if kpt is to run it and no program is named. done removes what was built.
func (o *options) findPrograms() (done func(), err error) {
	done = func() {}
	if o.kpt == "" {
		return done, nil
	}
	if o.kpt, err = filepath.Abs(o.kpt); err != nil {
		return done, err
	}
	if o.function != "" {
		o.function, err = filepath.Abs(o.function)
		return done, err
	}
	dir, err := os.MkdirTemp("", "upgrade-")
	if err != nil {
		return done, err
	}
	o.function = filepath.Join(dir, "resource-merge")
	_, err = output(exec.Command("go", "build", "-o", o.function, "github.com/resource-merge/resource-merge"))
	return func() { os.RemoveAll(dir) }, err
}
