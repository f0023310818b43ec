package resourcelist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// An item may also be a document of a file (rules/files: added and removed documents): its text then has no dash.

// DocumentError is the error of a document that is not YAML, or not a mapping.
type DocumentError struct {
	// Line is the number of the document's first line in its file.
	Line   int
	Reason error

	text []byte
}

// Error returns the reason, with the line of the fault in the file, or of the document if the reason has no line.
func (e *DocumentError) Error() string {
	reason := wording.Indentation(WithoutAnchor(e.Reason.Error()), e.text)
	before, rest, found := strings.Cut(reason, "line ")
	digits, after, _ := strings.Cut(rest, ":")
	if n, err := strconv.Atoi(digits); found && err == nil && (before == "" || before == "yaml: ") {
		return fmt.Sprintf("%sline %d:%s", before, e.Line+n-1, after)
	}
	return fmt.Sprintf("the document in line %d: %s", e.Line, reason)
}

func (e *DocumentError) Unwrap() error { return e.Reason }

// Document returns the item of a document's text. line is the number of its first line in its file. A text that can
// be skimmed is not parsed yet. It is an error if the text is not YAML, or not one mapping; for a text that is not
// parsed yet, Parsed returns that error.
func Document(text []byte, line int) (*Item, error) {
	i := &Item{Line: line, text: text, at: place{isDocument: true}}
	if i.skim = manifest.SkimDocument(text); i.skim == nil {
		i.head = headOf(text)
	}
	if i.skim != nil || i.head != nil {
		return i, nil
	}
	return i.Parsed()
}

// IsDoubtful reports whether parsing may show that a document cannot be merged.
func (i *Item) IsDoubtful() bool { return i.skim == nil || i.skim.Doubtful }

// checkNames returns an error for a field whose name is a list or a map, such as braces of a template, for a
// duplicate key, and for an alias that contains itself. open are the anchors around n.
func checkNames(n *yaml.Node, open map[*yaml.Node]bool) error {
	if n.Kind == yaml.AliasNode && open[n.Alias] {
		return fmt.Errorf("line %d: an alias contains itself", n.Line)
	}
	if n.Anchor != "" {
		open[n] = true
		defer delete(open, n)
	}
	if n.Kind == yaml.MappingNode {
		if err := checkFieldNames(n); err != nil {
			return err
		}
	}
	for _, c := range n.Content {
		if err := checkNames(c, open); err != nil {
			return err
		}
	}
	return nil
}

// checkFieldNames returns an error for a key of a map that is no scalar, and for a duplicate key.
func checkFieldNames(n *yaml.Node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := yamlnode.Resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: the name of a field is %s", key.Line, kindName(key))
		}
		if seen[key.Value] && yamlnode.Tag(key) != "!!merge" {
			return fmt.Errorf("line %d: duplicate key %q", key.Line, key.Value)
		}
		seen[key.Value] = true
	}
	return nil
}

// TextLike returns the text of a document for the file of another one. If one is in brackets and the other in lines,
// the text is written anew in the other's form (rules/files: added and removed documents).
func (i *Item) TextLike(other *Item) []byte {
	text := i.Text()
	if stream.IsInBrackets(text) == stream.IsInBrackets(other.text) {
		return text
	}
	full, err := i.Parsed()
	like, fault := other.Parsed()
	if err != nil || fault != nil {
		return text
	}
	if written, err := like.parsed.Likewise(full.Node); err == nil {
		return written
	}
	return text
}

// IsDocument reports whether the item is a document of a file.
func (i *Item) IsDocument() bool { return i.at.isDocument }

// AsDocument returns the item as the text of a document, written anew.
func (i *Item) AsDocument() ([]byte, error) {
	full, err := i.Parsed()
	if err != nil {
		return nil, err
	}
	text, err := manifest.EncodeItem(full.Node, full.wide, 0)
	return WithoutDash(text, 0), err
}

// WithoutDash returns the text of an element, whose dash is in a column, as the text of a document.
func WithoutDash(element []byte, column int) (document []byte) {
	document = make([]byte, 0, len(element))
	below := false
	for line := range bytes.Lines(element) {
		margin := len(line) - len(bytes.TrimLeft(line, " "))
		if !below && margin < len(line) && line[margin] == '-' {
			line, below = bytes.Replace(line, []byte("-"), []byte(" "), 1), true
			margin = len(line) - len(bytes.TrimLeft(line, " "))
		}
		document = append(document, line[min(margin, column+2):]...)
	}
	return document
}

// WithDash returns the text of a document as the text of an element, with its dash in a column.
func WithDash(document []byte, column int) (element []byte) {
	margin := strings.Repeat(" ", column)
	dash := "- "
	for line := range bytes.Lines(document) {
		if len(bytes.TrimRight(line, "\n")) > 0 {
			element = append(element, margin+dash...)
			dash = "  "
		}
		element = append(element, line...)
	}
	if !bytes.HasSuffix(element, []byte("\n")) {
		element = append(element, '\n')
	}
	return element
}

// headOf returns the head of a document that needs no parser of YAML: an object of JSON, or a block mapping without
// the word kind anywhere, which is no resource. It returns nil for any other text.
func headOf(text []byte) *yaml.Node {
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return jsonHead(trimmed)
	}
	if !bytes.Contains(text, []byte("kind")) && beginsWithField(text) {
		return yamlnode.EmptyMap()
	}
	return nil
}

// jsonHead returns the head of an object of JSON, nil if text is none.
func jsonHead(text []byte) *yaml.Node {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool {
		return name != "apiVersion" && name != "kind" && name != "metadata"
	})
	head, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	if root := manifest.DocumentTree(append(head, '\n')); root != nil {
		return root
	}
	root, _ := parseRaw(head) // nil with an error
	return root
}

// beginsWithField reports whether the first line of a text that is neither empty nor a comment begins with a field
// with a plain name.
func beginsWithField(text []byte) bool {
	field := regexp.MustCompile(`^\w[\w./-]*:( |$)`)
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) > 0 && bytes.TrimLeft(line, " \t")[0] != '#' {
			return field.Match(line)
		}
	}
	return false
}

// TopLine returns the number of the line in a document in which its mapping begins, from 1, or 0 if only the parser
// knows it.
func (i *Item) TopLine() int {
	if !i.IsDocument() {
		return 0
	}
	skim := i.skim
	if skim == nil {
		skim = i.at.skim(i.text)
	}
	if skim == nil {
		return 0
	}
	return 1 + skim.Above()
}
