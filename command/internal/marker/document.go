package marker

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/plainyaml"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ErrOrder says that the sides have documents in different orders, or that a text is
// no plain sequence of documents: then no marker stands for one document.
var ErrOrder = errors.New("the documents cannot be laid side by side")

// document is one document of a file: the line that begins it, what follows, and what
// ends it, a line "..." with the empty lines and comments below.
type document struct {
	separator, body, end []byte
	kind, name           string
	text                 *manifest.Text // once it is parsed
	odd                  bool           // says that it is no mapping
}

// split reads a file, each line of which has a line break, as documents. Each has
// a name of its own.
func split(file []byte) (documents []document, ok bool) {
	current, start, begun, ended := document{}, 0, false, false
	flush := func(at int) {
		if ended {
			current.end = file[start:at:at]
		} else {
			current.body = file[start:at:at]
		}
		if begun || at > start {
			documents = append(documents, current)
		}
		current, start, begun, ended = document{}, at, true, false
	}
	at := 0
	for line := range bytes.Lines(file) {
		next := at + len(line)
		switch {
		case line[0] == '%':
			return nil, false
		case isMarker(line, "---"):
			flush(at)
			if rest := bytes.TrimSpace(line[3:]); len(rest) == 0 || rest[0] == '#' {
				current.separator, start = line, next
			}
		case isMarker(line, "...") && !ended:
			current.body, start, begun, ended = file[start:at:at], at, true, true
		case ended && !isMarker(line, "...") && len(bytes.TrimSpace(line)) > 0 && line[0] != '#':
			flush(at)
		}
		at = next
	}
	flush(at)
	seen := map[string]int{}
	for i := range documents {
		d := &documents[i]
		d.kind, d.name = nameOfResource(d.head())
		seen[d.name]++
		d.name += "\x00" + strconv.Itoa(seen[d.name])
	}
	return documents, true
}

// Roots are the resources of a file's documents.
func Roots(file []byte) (roots []*yaml.Node) {
	documents, _ := split(whole(file))
	for i := range documents {
		if root := documents[i].root(); root != nil {
			roots = append(roots, root)
		}
	}
	return roots
}

// head is what the document says of who it is, nil if it is no mapping.
func (d *document) head() *yaml.Node {
	if plain := plainyaml.ReadDocument(d.body); plain != nil {
		return plain.Head()
	}
	return d.root()
}

// parsed parses the document; nil if it is no mapping.
func (d *document) parsed() *manifest.Text {
	if d.text == nil && !d.odd {
		text, err := manifest.Document(d.body)
		d.text, d.odd = text, err != nil
	}
	return d.text
}

// nameOfResource is what tells a resource apart from others in its file.
func nameOfResource(root *yaml.Node) (kind, name string) {
	meta := identity.ReadMeta(root)
	return meta.Kind, meta.PlainID().String()
}

// isMarker reports whether a line begins or ends a document.
func isMarker(line []byte, mark string) bool {
	rest, found := bytes.CutPrefix(line, []byte(mark))
	return found && (len(bytes.TrimSpace(rest)) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// root is the resource of the document, nil if it is none.
func (d *document) root() *yaml.Node {
	if d.parsed() == nil {
		return nil
	}
	return d.text.Root()
}

// version is the resource's apiVersion, "" if it has none.
func (d *document) version() string {
	if d == nil || d.root() == nil {
		return ""
	}
	return yamlnode.Text(yamlnode.Field(d.root(), "apiVersion"))
}

// spot is where the resource stands in the body.
func (d *document) spot() (*manifest.Spot, bool) {
	if d == nil || d.parsed() == nil {
		return nil, false
	}
	s, ok := d.text.Outline()
	return &s, ok
}

// lines are the document's, nil if there is none.
func (d *document) lines() []byte {
	if d == nil {
		return nil
	}
	return slices.Concat(d.separator, d.body, d.end)
}

// spots are where one field or element stands on each side; nil where it is not.
type spots [3]*manifest.Spot

// texts are the texts of a resource by side.
type texts [3][]byte

// lines are a side's bytes between two places of its text, origin's moved to the column
// that the others have.
func (t texts) lines(side Side, s spots, from, to int) []byte {
	text := t[side][from:to]
	if side != Base {
		return text
	}
	for _, shown := range [2]Side{Ours, Theirs} {
		if s[shown] != nil {
			return shifted(text, s[shown].Column-s[Base].Column)
		}
	}
	return text
}
