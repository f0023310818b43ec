// Command update is the update command for the tests beside the real kpt.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/update"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "resource-merge:", err)
		os.Exit(1)
	}
}

func run() error {
	o := update.Options{}
	var arg string
	for _, a := range os.Args[1:] {
		if s, found := strings.CutPrefix(a, "--strategy="); found {
			o.Strategy = s
		} else {
			arg = a
		}
	}
	dir, version, err := update.ParseArgument(arg)
	if err != nil {
		return err
	}
	o.Version = version
	ctx := context.Background()
	if err := update.CheckClean(ctx, gitrepo.Git{}, dir); err != nil {
		return err
	}
	files, err := read(dir)
	if err != nil {
		return err
	}
	u, err := update.Run(ctx, files, o)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Remove(filepath.Join(dir, f.Name)); err != nil {
			return err
		}
	}
	for _, f := range u.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if f.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(f.Data), name)
		} else {
			err = os.WriteFile(name, f.Data, f.Mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func read(dir string) (files []pkgmerge.File, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		f := pkgmerge.File{Name: filepath.ToSlash(rel), Mode: 0o644}
		if d.Type()&fs.ModeSymlink != 0 {
			f.Mode = fs.ModeSymlink
			target, err := os.Readlink(name)
			f.Data = []byte(target)
			files = append(files, f)
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&0o100 != 0 {
			f.Mode = 0o755
		}
		f.Data, err = os.ReadFile(name)
		files = append(files, f)
		return err
	})
	return files, err
}
