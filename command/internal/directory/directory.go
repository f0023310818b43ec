// Package directory reads the resources of a directory (rules/function: sides from
// directories), as kpt reads it into a list.
package directory

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Document is a resource of a directory.
type Document struct {
	// Node is the document with kpt's annotations of its file.
	Node *yaml.Node
	// Text is the text of the document, with the comments above it and LF as line ends.
	Text []byte
}

// Content has the resources of a directory.
type Content struct {
	Documents []Document
	// Skipped are files with a bare list, and files that are not YAML, such as Helm templates (rules/input: files that are
	// not YAML).
	Skipped []pkgmerge.SkippedFile
	// Ignored finds the files that a .krmignore lists.
	Ignored *file.Ignorer
}

// Read reads a directory with its subpackages and Kptfiles, and obeys .krmignore. A relative directory is
// relative to the process. A Kptfile that is not YAML is an error.
func Read(dir string) (*Content, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	names, ignored, err := list(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	c := &Content{Ignored: ignored}
	for _, name := range names {
		data, err := file.ReadInside(file.Tree(dir), name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", dir, err)
		}
		name = filepath.ToSlash(name)
		found, err := read(name, data)
		switch {
		case err == nil:
			c.Documents = append(c.Documents, found...)
		case filepath.Base(name) == kptfile:
			return nil, fmt.Errorf("read %s: %s: %w", dir, name, err)
		default:
			c.Skipped = append(c.Skipped, pkgmerge.SkippedFile{File: name, Reason: "it is not valid YAML: " + err.Error()})
		}
	}
	return c, nil
}

const kptfile = "Kptfile"

// isRead reports whether files with a name are read.
func isRead(name string) bool {
	return name == kptfile || slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// list returns the files of a directory that are read, by their paths below it, and the Ignorer of the others. A symbolic
// link that leads out of the directory, a device, and a pipe are errors: a package must not make the function read other
// files.
func list(dir string) (names []string, ignored *file.Ignorer, err error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil, err
	}
	ignored = file.NewIgnorer(file.Tree(root))
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && ignored.Ignores(filepath.ToSlash(name), true):
			return fs.SkipDir
		case d.IsDir() || !isRead(d.Name()):
			return nil
		}
		if err := checkRegular(root, path, d); err != nil {
			return err
		}
		if !ignored.Ignores(filepath.ToSlash(name), false) {
			names = append(names, name)
		}
		return nil
	})
	return names, ignored, cmp.Or(err, ignored.Err())
}

// checkRegular returns an error for a file that is neither a regular file below root nor a link to one.
func checkRegular(root, path string, d fs.DirEntry) error {
	if d.Type().IsRegular() {
		return nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(below) {
		return fmt.Errorf("%s leads out of the directory", d.Name())
	}
	if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", d.Name())
	}
	return nil
}

// read reads the documents of a file. The error shows none of the file's content, which may be a Secret
// (rules/conflicts: secrets).
func read(name string, data []byte) (documents []Document, err error) {
	index := 0
	for _, d := range stream.Read(data).Documents {
		if d.IsEmpty() {
			continue
		}
		text := slices.Concat(d.Header, d.Text)
		node, err := parse(text)
		if err != nil {
			return nil, faultOf(data)
		}
		if yamlnode.IsNull(node) {
			continue
		}
		if node.Kind != yaml.SequenceNode {
			if !canHaveAnnotations(node) {
				return nil, errNoResource
			}
			documents = append(documents, Document{Node: annotated(node, name, index, text), Text: text})
		}
		index++
	}
	return documents, nil
}

// errNoResource is the error of a file that is valid YAML, but not of resources.
var errNoResource = errors.New("a document in it is not a resource")

func parse(text []byte) (n *yaml.Node, err error) {
	defer yamlnode.Recover(&err)
	document := new(yaml.Node)
	if err := yaml.Unmarshal(text, document); err != nil {
		return nil, err
	}
	return resourcelist.NewItem(document).Node, nil
}

// faultOf returns the syntax error in a stream of documents. Lines count from the first document.
func faultOf(data []byte) (err error) {
	defer yamlnode.Recover(&err)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return errNoResource
		} else if err != nil {
			return errors.New(resourcelist.WithoutAnchor(strings.TrimPrefix(err.Error(), "yaml: ")))
		}
	}
}

// canHaveAnnotations reports whether a document is a mapping whose metadata and annotations, if it has them, are
// mappings, too.
func canHaveAnnotations(n *yaml.Node) bool {
	for _, name := range []string{"metadata", "annotations"} {
		if n.Kind != yaml.MappingNode {
			return false
		}
		if n = yamlnode.Field(n, name); n == nil || yamlnode.IsNull(n) {
			return true
		}
	}
	return n.Kind == yaml.MappingNode
}

// annotated returns a document with kpt's annotations of its file, its index, and the indentation of its sequences.
func annotated(n *yaml.Node, name string, index int, text []byte) *yaml.Node {
	n = yamlnode.Annotate(n, bookkeeping.Index, strconv.Itoa(index))
	n = yamlnode.Annotate(n, bookkeeping.Path, name)
	return yamlnode.Annotate(n, bookkeeping.SeqIndent, sequenceIndent(text))
}

// sequenceIndent returns kpt's name for the indentation of a document's sequences: that of the first one below a
// key in the line above it, comments aside.
func sequenceIndent(text []byte) string {
	key := -1
	for line := range strings.Lines(string(text)) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "- ") && key >= 0 && (indent == key || indent == key+2) {
			if indent > key {
				return "wide"
			}
			return "compact"
		}
		key = -1
		if line, _, _ = strings.Cut(line, "#"); strings.HasSuffix(strings.TrimSpace(line), ":") && strings.Count(line, ":") == 1 {
			key = indent
		}
	}
	return "compact"
}
