// Package directory reads the resources of a directory (rules/function: sides from
// directories), as kpt does it: with kyaml's reader.
package directory

import (
	"bytes"
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
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Read reads a directory with its subpackages and Kptfiles, and obeys .krmignore. A relative directory is
// relative to the process. The documents have kyaml's annotations of their files, and their texts. Read skips
// files with a bare list, and files that are not YAML, such as Helm templates (rules/input: files that
// are not YAML), but not Kptfiles.
func Read(dir string) (documents []Document, skipped []pkgmerge.SkippedFile, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is not a directory", dir)
	}
	if err := checkFiles(dir); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", dir, err)
	}
	nodes, skipped, err := readNodes(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %s", dir, withoutContents(relativeTo(dir, err)))
	}
	t := texts{dir: dir, files: map[string][][]byte{}}
	for _, n := range nodes {
		if n.Field(kyaml.BareSeqNodeWrappingKey) == nil {
			documents = append(documents, Document{Node: n.Document(), Text: t.of(n)})
		}
	}
	return documents, skipped, nil
}

// readNodes reads the resources of a directory, and lists the skipped files. Only if the directory cannot be
// read as a whole, it reads each file alone to find these.
func readNodes(dir string) (nodes []*kyaml.RNode, skipped []pkgmerge.SkippedFile, err error) {
	reader := kio.LocalPackageReader{
		PackagePath:        dir,
		PackageFileName:    "Kptfile",
		MatchFilesGlob:     patterns(),
		IncludeSubpackages: true,
		PreserveSeqIndent:  true,
		WrapBareSeqNode:    true,
	}
	reader.FileSkipFunc = func(name string) bool { return name == file.Config }
	if nodes, err = reader.Read(); err == nil {
		return nodes, nil, nil
	}
	reader.FileSkipFunc = func(path string) bool {
		name := filepath.Base(path)
		if path == file.Config {
			return true
		}
		if !isRead(name) || name == "Kptfile" {
			return false
		}
		reason := whyUnreadable(filepath.Join(dir, path))
		if reason == "" {
			return false
		}
		skipped = append(skipped, pkgmerge.SkippedFile{File: filepath.ToSlash(path), Reason: reason})
		return true
	}
	nodes, err = reader.Read()
	return nodes, skipped, err
}

// Document is a resource of a directory.
type Document struct {
	// Node is the document as kyaml reads it.
	Node *yaml.Node
	// Text is the probable text in the file, with the comments above it and LF as line ends; nil if unknown.
	Text []byte
}

// texts finds the texts of documents in the files of a directory.
type texts struct {
	dir   string
	files map[string][][]byte // by name
}

// of returns the text of a document that kyaml has read, nil if it is unknown.
func (t texts) of(n *kyaml.RNode) []byte {
	annotations := n.GetAnnotations(kioutil.PathAnnotation, kioutil.IndexAnnotation)
	name := annotations[kioutil.PathAnnotation]
	index, err := strconv.Atoi(annotations[kioutil.IndexAnnotation])
	if name == "" || err != nil {
		return nil
	}
	documents, known := t.files[name]
	if !known {
		documents = t.read(name)
		t.files[name] = documents
	}
	if index < 0 || index >= len(documents) {
		return nil
	}
	return documents[index]
}

// read reads the documents of a file, none if it cannot be read.
func (t texts) read(name string) (documents [][]byte) {
	data, err := os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	for _, d := range stream.Read(data).Documents {
		if !d.IsEmpty() {
			documents = append(documents, slices.Concat(d.Header, d.Text))
		}
	}
	return documents
}

// withoutContents returns kyaml's error on one line, without the content of the file, which may be a Secret
// (rules/conflicts: secrets).
func withoutContents(text string) string {
	text, _, _ = strings.Cut(text, ": node contents:")
	return strings.TrimSpace(resourcelist.WithoutAnchor(text))
}

// relativeTo returns kyaml's error with the path below dir instead of the absolute path, so that the output
// does not depend on the location of the input.
func relativeTo(dir string, err error) string {
	absolute, absErr := filepath.Abs(dir)
	if absErr != nil {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), filepath.ToSlash(absolute)+"/", "")
}

// checkFiles returns an error for a symbolic link that leads out of the directory, a device, and a pipe. A
// package must not make the function read other files.
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
			return fmt.Errorf("%s is not a regular file", d.Name())
		}
		return nil
	})
}

// isRead reports whether the reader reads files with a name.
func isRead(name string) bool {
	return slices.ContainsFunc(patterns(), func(pattern string) bool {
		match, err := filepath.Match(pattern, name)
		return match && err == nil
	})
}

// patterns returns the patterns of the names of files that are read.
func patterns() []string { return append([]string{"Kptfile"}, kio.DefaultMatch...) }

// whyUnreadable returns the reason why the reader cannot parse a file, "" if it can, or if the file itself
// cannot be opened.
func whyUnreadable(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	_, err = (&kio.ByteReader{
		Reader:            bytes.NewReader(data),
		DisableUnwrapping: true,
		PreserveSeqIndent: true,
		WrapBareSeqNode:   true,
		SetAnnotations:    map[string]string{kioutil.PathAnnotation: "a"},
	}).Read()
	if err == nil {
		return ""
	}
	fault := faultOf(data)
	if fault == nil {
		return "a document in it is not a resource"
	}
	return withoutContents(strings.TrimPrefix(fault.Error(), "yaml: "))
}

// faultOf returns the syntax error in a stream of documents, nil if there is none. Lines count from the first
// document.
func faultOf(data []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
