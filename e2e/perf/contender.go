package main

import (
	"os"
	"path/filepath"
)

// contender is a program that is measured.
type contender struct {
	name    string
	command []string
	// limit is the largest size that it is tried at; 0 is none.
	limit int
	// lay makes the input of a size in a directory.
	lay func(dir string, n int) error
	// within is the subdirectory in which the program runs.
	within string
	// writes says that it changes its input: every run gets a copy, after which ready,
	// if there is one, is called.
	writes bool
	ready  func(dir string) error
}

// The names, as they stand in the tables and in the plot.
const (
	nameOurs   = "resource-merge"
	nameFloor  = "floor"
	nameMerge3 = "Merge3"
	nameKpt    = "kpt pkg update"
)

// onLists are the contenders that read a list of a shape: ours and the floor.
func (b *bench) onLists(shape string) []contender {
	return []contender{b.ours(shape), {
		name: nameFloor, command: []string{"contender", "floor", "list"}, lay: b.layList(shape),
	}}
}

func (b *bench) ours(shape string) contender {
	return contender{name: nameOurs, command: []string{"resource-merge", "list"}, lay: b.layList(shape)}
}

// onPackages are the contenders that merge the same resources as files. They
// take a time that grows with the square of the size.
func (b *bench) onPackages() []contender {
	return []contender{
		{name: nameMerge3, command: []string{"contender", "merge3", "."}, limit: 1000, lay: b.layPackage("few"), writes: true},
		{
			name: nameKpt, command: []string{"kpt", "pkg", "update", ".@v2", "--strategy=resource-merge"},
			limit: 1000, lay: b.layRepository, within: "local", writes: true,
		},
	}
}

// layList returns a function that writes a list.
func (b *bench) layList(shape string) func(dir string, n int) error {
	return func(dir string, n int) error {
		file, err := os.Create(filepath.Join(dir, "list"))
		if err != nil {
			return err
		}
		defer file.Close()
		cmd := b.command("", "contender", "list", shape, decimal(n))
		cmd.Stdout = file
		return succeed(cmd)
	}
}

// layPackage returns a function that writes a package of files for a load.
func (b *bench) layPackage(load string) func(dir string, n int) error {
	what := map[string]string{"few": "package", "all": "changed"}[load]
	return func(dir string, n int) error {
		return succeed(b.command("", "contender", what, dir, decimal(n)))
	}
}
