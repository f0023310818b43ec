package marker

import (
	"bytes"
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ErrOrder means that the two results have their documents in different orders, or that a text is
// not a plain sequence of documents. Then the documents cannot be compared one by one.
var ErrOrder = errors.New("the documents cannot be laid side by side")

// document is one document of a file: the lines above it, its body, and the number of the body's first line in the file.
type document struct {
	separator, body []byte
	line            int
	read            bool           // read is set after the first use of text and tree.
	text            *manifest.Text // text is the parsed body, nil if it is not a mapping, or only the tree is needed.
	tree            *yaml.Node     // tree is the resource, nil if there is none.
}

// documentsOf returns the documents of a file, whose lines all get a line break. It is not ok if the file has a directive.
func documentsOf(file *stream.Stream) (documents []document, ok bool) {
	for _, s := range file.Sections() {
		for line := range bytes.Lines(s.Above) {
			if line[0] == '%' {
				return nil, false
			}
		}
		documents = append(documents, document{separator: terminate(s.Above), body: terminate(s.Body), line: s.Line})
	}
	return documents, true
}

// nameDocuments names each document of a side: the index of its resource, or a negative number for the n-th document
// without one.
func nameDocuments(documents []document, resources []Resource, side Side) []int {
	names := make([]int, len(documents))
	for i, r := range resources {
		at, found := slices.BinarySearchFunc(documents, r.Lines[side], func(d document, line int) int { return d.line - line })
		if !found {
			at--
		}
		if at >= 0 && names[at] == 0 {
			names[at] = i + 1
		}
	}
	unnamed := 0
	for at, name := range names {
		if names[at] = name - 1; name == 0 {
			unnamed++
			names[at] = -unnamed
		}
	}
	return names
}

// with returns a document that is parsed on its own, so that its tree needs memory only as long as the document does; known
// is its parsed text if that is in memory, else nil or another text.
func (d document) with(known *manifest.Text) *document {
	if known != nil && bytes.Equal(known.Bytes(), d.body) {
		d.read, d.text, d.tree = true, known, known.Root()
	}
	return &d
}

// root returns the resource of the document, nil if there is none; d may be nil.
func (d *document) root() *yaml.Node {
	if d == nil {
		return nil
	}
	if !d.read {
		d.read = true
		if text, err := manifest.Document(d.body); err == nil {
			d.text, d.tree = text, text.Root()
		}
	}
	return d.tree
}

// apiVersion returns the resource's apiVersion, "" if it has none.
func (d *document) apiVersion() string {
	return yamlnode.Text(yamlnode.Field(d.root(), "apiVersion"))
}

// outline returns the extents of the resource's fields in the body, nil if they are not known. It is called once: then the
// places in the text need no memory any more.
func (d *document) outline() *manifest.Spot {
	if d.root() == nil || !bytes.Equal(d.text.Bytes(), d.body) {
		return nil
	}
	text := d.text
	d.text = nil
	if s, ok := text.Outline(); ok {
		return &s
	}
	return nil
}

// lines returns the text of the document, nil if d is nil.
func (d *document) lines() []byte {
	if d == nil {
		return nil
	}
	return slices.Concat(d.separator, d.body)
}

// entryVersions has the extents of one field or list element on each side, nil if a side lacks it.
type entryVersions [3]*manifest.Spot

// texts has the text of a resource on each side.
type texts [3][]byte

// lines returns a side's bytes from one offset to another. Those of origin are indented as on the other sides.
func (t texts) lines(side Side, s entryVersions, from, to int) []byte {
	text := t[side][from:to]
	if side != Base {
		return text
	}
	for _, shown := range [2]Side{Ours, Theirs} {
		if s[shown] != nil {
			return shift(text, s[shown].Column-s[Base].Column)
		}
	}
	return text
}
