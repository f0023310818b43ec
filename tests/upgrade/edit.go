package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// edit is a change that a fork makes in every resource, or in some, that the
// selectors select. It has exactly one of set, append, remove, replace, comment,
// rename, delete and file.
//
// A path is that of a field, as spec.template.spec.containers[name=web].image;
// [0] is an element by its index, [*] every element of a list or field of a map,
// ["a.b/c"] a field of any name.
type edit struct {
	// Kind, Name and APIVersion are globs, parted by |.
	Kind       string `yaml:"kind"`
	Name       string `yaml:"name"`
	APIVersion string `yaml:"apiVersion"`
	// Every has only the first of so many that are selected edited.
	Every int `yaml:"every"`

	// Set gives a field the value To, made if it is absent.
	Set string `yaml:"set"`
	// Append puts To at the end of a list, made if it is absent.
	Append string `yaml:"append"`
	// Remove takes out a field or an element.
	Remove string `yaml:"remove"`
	// Replace replaces Old, a regular expression, by New in a scalar, with Line
	// only in that line of a text.
	Replace string    `yaml:"replace"`
	To      yaml.Node `yaml:"to"`
	Old     string    `yaml:"old"`
	New     string    `yaml:"new"`
	Line    int       `yaml:"line"`
	// Comment writes Text above a field.
	Comment string `yaml:"comment"`
	Text    string `yaml:"text"`
	// Rename is put before the resource's name, and the merge comment written.
	Rename string `yaml:"rename"`
	// Delete takes out the resource.
	Delete bool `yaml:"delete"`
	// File is a new file with Text in it.
	File string `yaml:"file"`
}

// fork is a fork of a package: edits, in their order.
type fork struct {
	name  string
	edits []edit
}

//go:embed edits
var usual embed.FS

// readForks reads a directory of forks: each directory in it, or itself if it
// has none, is a fork, and each YAML file of that a list of edits.
func readForks(dir string) ([]fork, error) {
	root := fs.FS(os.DirFS(dir))
	if dir == "" {
		root, _ = fs.Sub(usual, "edits")
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	var forks []fork
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		f, err := readFork(root, e.Name())
		if err != nil {
			return nil, err
		}
		forks = append(forks, f)
	}
	if len(forks) > 0 {
		return forks, nil
	}
	f, err := readFork(root, ".")
	return []fork{f}, err
}

func readFork(root fs.FS, dir string) (fork, error) {
	f := fork{name: dir}
	files, err := fs.Glob(root, path.Join(dir, "*.yaml"))
	if err != nil {
		return f, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return f, err
		}
		edits, err := readEdits(text)
		if err != nil {
			return f, fmt.Errorf("%s: %w", file, err)
		}
		f.edits = append(f.edits, edits...)
	}
	return f, nil
}

func readEdits(text []byte) ([]edit, error) {
	var edits []edit
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&edits); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for i, e := range edits {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("edit %d: %w", i+1, err)
		}
	}
	return edits, nil
}

func (e edit) check() error {
	n := 0
	for _, set := range []bool{
		e.Set != "", e.Append != "", e.Remove != "", e.Replace != "", e.Comment != "", e.Rename != "", e.Delete, e.File != "",
	} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("want one of set, append, remove, replace, comment, rename, delete and file, found %d", n)
	}
	_, err := regexp.Compile(e.Old)
	return err
}

// selects reports whether the edit is about a resource.
func (e edit) selects(r *resource) bool {
	apiVersion := strings.TrimPrefix(r.id.group+"/"+r.version, "/")
	return matches(e.Kind, r.id.kind) && matches(e.Name, r.id.name) && matches(e.APIVersion, apiVersion)
}

func matches(globs, text string) bool {
	for _, glob := range strings.Split(globs, "|") {
		if match, err := path.Match(glob, text); glob == "" || match && err == nil {
			return true
		}
	}
	return false
}
