package directory

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// Document is a resource of a directory.
type Document struct {
	// Node is the document as kyaml reads it.
	Node *yaml.Node
	// Text is what the resource seems to be in its file: with the comments above it, and
	// with LF as line ends; nil if that is not known.
	Text []byte
}

// texts finds the texts of documents in the files of a directory.
type texts struct {
	dir   string
	files map[string][][]byte // by name
}

// of is the text of a document that kyaml has read, nil if that is not known.
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
	for _, d := range stream.Read(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))).Documents {
		if !d.IsEmpty() {
			documents = append(documents, slices.Concat(d.Header, d.Text))
		}
	}
	return documents
}
