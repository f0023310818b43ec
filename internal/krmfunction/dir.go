package krmfunction

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// checkFiles finds a file that is none of the directory's own: a symbolic link
// that leads out of it, a device, a pipe. A package from elsewhere must not have
// the function read what nobody gave it.
func checkFiles(dir string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type().IsRegular() || !isRead(d.Name()) {
			return err
		}
		target, err := filepath.EvalSymlinks(file)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, target)
		if err != nil || !filepath.IsLocal(below) {
			return fmt.Errorf("%s leads out of the directory", d.Name())
		}
		if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", d.Name())
		}
		return nil
	})
}

// isRead reports whether the reader takes files of that name.
func isRead(name string) bool {
	return slices.ContainsFunc(patterns(), func(pattern string) bool {
		match, err := filepath.Match(pattern, name)
		return match && err == nil
	})
}

// patterns are the names of the files that are read.
func patterns() []string { return append([]string{"Kptfile"}, kio.DefaultMatch...) }

// readDir reads a side from a directory (design 1.1): with its subpackages and
// Kptfiles, .krmignore honoured. A relative directory is relative to the
// process. A file that is a bare list is no resource and is left out; so is one
// that is no YAML, as a Helm chart has them (design 8), unless it is a Kptfile.
func readDir(list *resourcelist.List, dir string) ([]*item, []unreadable, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is no directory", dir)
	}
	if err := checkFiles(dir); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", dir, err)
	}
	nodes, skipped, err := readNodes(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %s", dir, withoutContents(relativeTo(dir, err)))
	}
	var found []*resourcelist.Item
	for _, n := range nodes {
		if n.Field(kyaml.BareSeqNodeWrappingKey) == nil {
			found = append(found, list.NewItem(n.Document()))
		}
	}
	items, err := readItems(found)
	return items, skipped, err
}

// readNodes reads the resources of a directory, and which files it left out. To
// find these every file is read alone, but only if the directory as a whole
// cannot be read.
func readNodes(dir string) (nodes []*kyaml.RNode, skipped []unreadable, err error) {
	reader := kio.LocalPackageReader{
		PackagePath:        dir,
		PackageFileName:    "Kptfile",
		MatchFilesGlob:     patterns(),
		IncludeSubpackages: true,
		PreserveSeqIndent:  true,
		WrapBareSeqNode:    true,
	}
	if nodes, err = reader.Read(); err == nil {
		return nodes, nil, nil
	}
	reader.FileSkipFunc = func(file string) bool {
		name := filepath.Base(file)
		if !isRead(name) || name == "Kptfile" {
			return false
		}
		reason := whyUnreadable(filepath.Join(dir, file))
		if reason == "" {
			return false
		}
		skipped = append(skipped, unreadable{path: filepath.ToSlash(file), reason: reason})
		return true
	}
	nodes, err = reader.Read()
	return nodes, skipped, err
}
