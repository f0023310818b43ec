package blame

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// document is a document of a file of one version. A file that is not YAML is one document, which has only lines.
type document struct {
	// file is the file's path, and index the document's in the file.
	file  string
	index int
	text  []byte
	// line is the number of the text's first line in the file, from 1.
	line int
	meta identity.Meta
	// item is nil if the document is not YAML.
	item   *resourcelist.Item
	loaded bool
	// isPartial says that only the fields of a newer version were read. guide is the tree of the fields.
	isPartial bool
	guide     *guide
	// derivedIn is the file of a derived document, whose text and item were not read; nil for others.
	derivedIn *fileVersion
	// fields has the fields by their paths: of values their text, of maps and lists with keys none.
	fields map[string]string
	// leaves are the fields in the order of the document.
	leaves []leaf
	// byLine has the indices of the leaves that are the only ones in their lines, -1 for other lines.
	byLine map[int]int
	// texts counts the lines of strings, by the paths of these.
	texts map[string]map[string]int
	// isSecret means that even annotations and comments are hidden.
	isSecret bool
	// lines counts the lines that are comments by their text, and all lines of a document that is not YAML.
	lines map[string]int
}

// leaf is a field or an element of a list with keys.
type leaf struct {
	path *merge.Path
	// name is the path's text, which also tells elements apart that have one key.
	name string
	// line is the first line in the document, from 1.
	line  int
	value *yaml.Node
	typ   *schema.Type
	// isWhole marks a value; other leaves are maps and lists whose parts are leaves.
	isWhole bool
}

// readDocuments splits a file into documents. The documents are parsed when they are asked for.
func readDocuments(name string, data []byte) (out []*document) {
	if !file.IsStructured(name) {
		return []*document{{file: name, text: data, line: 1}}
	}
	for i, d := range stream.Read(data).Documents {
		one := &document{file: name, index: i, text: d.Text, line: d.Line}
		if item, err := resourcelist.Document(d.Text, d.Line); err == nil && !d.IsEmpty() {
			one.item, one.meta = item, identity.MetaOf(item)
		}
		out = append(out, one)
	}
	return out
}

// hasContent reports whether the document has more than comments.
func (d *document) hasContent() bool {
	for line := range bytes.Lines(d.text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("---")) {
			return true
		}
	}
	return false
}

// isNamed reports whether the document is a resource that has its identity from its kind and name.
func (d *document) isNamed() bool {
	return d.item != nil && d.meta.Kind != "" && d.meta.Naming != identity.ByPath && d.meta.Name != ""
}

func (d *document) load(kinds *schema.Schema) {
	if d.loaded && !d.isPartial {
		return
	}
	if d.derivedIn != nil {
		fresh := readDocuments(d.file, d.derivedIn.text)[d.index]
		d.item, d.text, d.derivedIn = fresh.item, fresh.text, nil
	}
	d.loaded, d.isPartial, d.guide, d.byLine, d.texts, d.fields, d.leaves = true, false, nil, nil, nil, map[string]string{}, nil
	if d.item == nil {
		return
	}
	c, err := d.readFields(kinds)
	if err != nil {
		d.item = nil
		return
	}
	d.add(c)
}

// readFields returns the fields of the document, as the comparison of the document with itself lists them.
func (d *document) readFields(kinds *schema.Schema) (*merge.Comparison, error) {
	full, err := d.item.Parsed()
	if err != nil {
		return nil, err
	}
	kind := kinds.Resource(identity.Group(d.meta.APIVersion), identity.Version(d.meta.APIVersion), d.meta.Kind)
	return merge.Compare(full.Node, full.Node, kind)
}

func (d *document) add(c *merge.Comparison) {
	for _, part := range c.Parts {
		if part.To == nil { // the same element without a key, as the other version
			continue
		}
		l := leaf{path: part.Path, name: part.Path.String(), value: part.To, typ: part.Type, line: part.To.Line}
		if _, repeated := d.fields[l.name]; repeated {
			l.name += "\x00" + strconv.Itoa(len(d.leaves))
		}
		if part.ToKey != nil {
			l.line = part.ToKey.Line
		}
		if l.isWhole = len(part.Parts) == 0; l.isWhole {
			d.fields[l.name] = canonical(part.To)
		} else {
			d.fields[l.name] = ""
		}
		d.leaves = append(d.leaves, l)
		d.add(part)
	}
}

// canonical returns one text for all spellings of a value, never "".
func canonical(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		return "=" + n.Value
	}
	return managed.CanonicalText(n)
}

// comments counts the document's lines that have only a comment, and all lines of a document that is not YAML.
func (d *document) comments() map[string]int {
	if d.lines == nil {
		d.lines = map[string]int{}
		for line := range bytes.Lines(d.text) {
			if line = bytes.TrimSpace(line); d.item == nil || len(line) > 0 && line[0] == '#' {
				d.lines[string(line)]++
			}
		}
	}
	return d.lines
}

func (d *document) textLines(path string) map[string]int {
	if d.texts == nil {
		d.texts = map[string]map[string]int{}
	}
	count, known := d.texts[path]
	if !known {
		count = map[string]int{}
		for line := range strings.SplitSeq(strings.TrimPrefix(d.fields[path], "="), "\n") {
			count[line]++
		}
		d.texts[path] = count
	}
	return count
}

// likeness returns the share of values that two documents have in common, without names and namespaces.
func (d *document) likeness(other *document) float64 {
	count := d.commonFields
	if d.item == nil || other.item == nil {
		count = d.commonComments
	}
	common, all := count(other)
	return 2 * float64(common) / float64(max(all, 1))
}

// commonComments counts the comments that two documents have in common, and those of both.
func (d *document) commonComments(other *document) (common, all int) {
	for text, n := range d.comments() {
		common, all = common+min(n, other.comments()[text]), all+n
	}
	for _, n := range other.comments() {
		all += n
	}
	return common, all
}

// commonFields counts the values that two documents have in common, and those of both, without names and namespaces.
func (d *document) commonFields(other *document) (common, all int) {
	for name, value := range d.fields {
		if value != "" && !isName(name) {
			all++
			if other.fields[name] == value {
				common++
			}
		}
	}
	for name, value := range other.fields {
		if value != "" && !isName(name) {
			all++
		}
	}
	return common, all
}

func isName(path string) bool { return path == "metadata.name" || path == "metadata.namespace" }

// splitImage splits an image into its name, and its tag and digest with their separators.
func splitImage(image string) (name, tag string) {
	name, _, _ = transform.SplitImage(image)
	return name, image[len(name):]
}

// isImage reports whether the field is an image by the schema, or by its name.
func (l *leaf) isImage() bool {
	steps := l.path.Steps()
	return l.typ != nil && l.typ.Scalar == schema.Image || steps[len(steps)-1].Field == "image"
}
