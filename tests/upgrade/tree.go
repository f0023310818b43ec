package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tree is the text of files by their slash-separated path.
type tree map[string]string

func (t tree) names() []string { return slices.Sorted(maps.Keys(t)) }

// under is the tree in a directory.
func (t tree) under(dir string) tree {
	out := tree{}
	for name, text := range t {
		out[path.Join(dir, name)] = text
	}
	return out
}

// and is both trees; other's files win.
func (t tree) and(other tree) tree {
	out := maps.Clone(t)
	maps.Copy(out, other)
	return out
}

// write writes the files below dir.
func (t tree) write(dir string) error {
	for _, name := range t.names() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(t[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readTree reads the files below dir, git's own left out.
func readTree(dir string) (tree, error) {
	out := tree{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	return out, err
}

// isYAML reports whether kpt reads files of that name.
func isYAML(name string) bool {
	base := path.Base(name)
	return base == "Kptfile" || strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml")
}

// readable separates the readable YAML files from the unreadable ones, such as a
// Helm chart's templates. Other files are in neither.
func (t tree) readable() (good tree, bad []string) {
	good = tree{}
	for _, name := range t.names() {
		if !isYAML(name) {
			continue
		}
		if _, err := readFile(name, t[name]); err != nil {
			bad = append(bad, name)
			continue
		}
		good[name] = t[name]
	}
	return good, bad
}

// without is the tree without some files.
func (t tree) without(names []string) tree {
	out := maps.Clone(t)
	for _, name := range names {
		delete(out, name)
	}
	return out
}
