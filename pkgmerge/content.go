package pkgmerge

import (
	"bytes"
	"io/fs"
	"path"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
)

// content is what a file of a package holds.
type content struct {
	*File
	// stream are the documents of a file that merges by structure, and resources those
	// of them that are not empty; of another file they are nil.
	stream    *stream.Stream
	resources []*Resource
	// fault says why a file that is YAML or JSON by its name does not merge by structure.
	fault string
}

// of is what a file holds that may be as another version of it is, c, which may be nil.
func (c *content) of(f *File) *content {
	if c == nil || c.Mode != f.Mode || !bytes.Equal(c.Data, f.Data) {
		return newContent(f)
	}
	again := &content{File: f, stream: c.stream, fault: c.fault}
	for _, r := range c.resources {
		copied := *r
		copied.item = r.item.Clone()
		again.resources = append(again.resources, &copied)
	}
	return again
}

// newContent is what a file holds.
func newContent(f *File) *content {
	c := &content{File: f}
	if f.Mode&fs.ModeSymlink != 0 || !isStructuredName(f.Name) || !isText(f.Data) {
		return c
	}
	if !utf8.Valid(f.Data) {
		c.fault = "it is not UTF-8"
		return c
	}
	s := stream.Read(f.Data)
	for n, d := range s.Documents {
		if d.IsEmpty() {
			continue
		}
		item, err := resourcelist.Document(d.Text, d.Line)
		if err != nil {
			return &content{File: f, fault: err.Error()}
		}
		r := FromItem(f.Name, len(c.resources), item)
		r.document = n
		c.resources = append(c.resources, r)
	}
	if len(c.resources) > 0 {
		c.stream = s
	}
	return c
}

// isStructured reports whether there is a file, and it merges by structure.
func (c *content) isStructured() bool { return c != nil && c.stream != nil }

// isStructuredName reports whether a file is YAML or JSON by its name.
func isStructuredName(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	base := path.Base(name)
	return base == "Kptfile" || base == "Kustomization"
}

// isText reports whether data is text, which merges by lines: it has no NUL byte
// (design 17.2). Its lines need not be UTF-8.
func isText(data []byte) bool { return bytes.IndexByte(data, 0) < 0 }
