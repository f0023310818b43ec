package resourcelist

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Item is one item of a list: its node and, if it was read from a text, its bytes.
type Item struct {
	// Node is the item's mapping, nil before Parse if the text was only skimmed.
	// It must not be changed in place: a changed item is a new one, by WithNode.
	Node *yaml.Node
	// Line is the item's line in the input, 0 if it was not read from one.
	Line int

	// A text that is not parsed has a skim if it is plain. A document that is not plain has a head if that is known
	// without the parser: an object of JSON, or a mapping that is no resource.
	skim *manifest.Skim
	head *yaml.Node

	parsed *manifest.Text // the parsed text, nil if the places of Node's parts are not known

	text      []byte              // ends with a line break; nil if the item must be encoded
	pieces    [][]byte            // the text instead, in pieces, if it was edited: most are parts of the text before
	above     int                 // the number of lines above the item's first line, as Node counts lines
	wide      bool                // whether sequences are indented below their key
	encodings []manifest.Encoding // the parts of text that the encoder wrote

	idsBeside *Item // local's version that the ids of kpt in text were chosen for

	at place // the place of text
}

// NewItem returns an item for a node without a text. Its sequences are written without indentation, unless the
// positions of the nodes show otherwise. If node is a document, its comments go to the mapping.
func NewItem(node *yaml.Node) *Item {
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		node = withComments(node.Content[0], node.HeadComment, node.FootComment)
	}
	return &Item{Node: node, wide: manifest.IsWide(node)}
}

// Clone returns a copy of the item.
func (i *Item) Clone() *Item {
	same := *i
	return &same
}

// LineWithin returns the number of a line of the item's node counted within the item, from 1.
func (i *Item) LineWithin(line int) int { return line - i.above }

// WithNode returns i with another node, which will be encoded with the sequence indentation of i.
func (i *Item) WithNode(node *yaml.Node) *Item {
	return &Item{Node: node, Line: i.Line, wide: i.wide, at: i.at}
}

// withText returns i with a certain text, and without a node.
func (i *Item) withText(text []byte) *Item {
	return &Item{Line: i.Line, text: text, wide: i.wide, at: i.at}
}

// WithTextIn returns i with its text in another slice with the same bytes.
func (i *Item) WithTextIn(place []byte) *Item {
	same := *i
	same.text, same.pieces = place, nil
	return &same
}

// Text returns the bytes of the item in its list, from the dash or the comments above it on. It returns nil if there
// are none that have the node's values. Pieces are joined for each call. The bytes must not be changed.
func (i *Item) Text() []byte {
	if i.pieces != nil {
		return bytes.Join(i.pieces, nil)
	}
	return i.text
}

// Size returns the number of bytes of i's text, 0 if i has none.
func (i *Item) Size() int { return len(i.Text()) }

// IsEnded reports whether the text of i ends with a line break.
func (i *Item) IsEnded() bool { return i.pieces != nil || bytes.HasSuffix(i.text, []byte("\n")) }

// HasText reports whether i has an editable text for the list of another item.
func (i *Item) HasText(like *Item) bool {
	return i.parsed != nil && (i.at == like.at || i.at.inBrackets != nil && like.at.inBrackets != nil)
}

// Encoded returns i with the encoded text of its node for its list, and without the node.
func (i *Item) Encoded() (*Item, error) {
	text, err := i.encode()
	if err != nil {
		return nil, err
	}
	encoded := i.withText(text)
	encoded.encodings = []manifest.Encoding{{What: "resource", Why: "it has no text"}}
	return encoded, nil
}

// NewItem is NewItem for an item of the list.
func (l *List) NewItem(node *yaml.Node) *Item {
	i := NewItem(node)
	if i.at.column = l.column; l.brackets != nil {
		_, margin, _ := strings.Cut(string(l.brackets.gap), "\n")
		i.at.inBrackets = &inBrackets{list: l.brackets, margin: margin}
	}
	return i
}

// inPieces is bytes with the text in pieces.
func (i *Item) inPieces(column int) ([][]byte, error) {
	if i.pieces != nil && i.at == (place{column: column}) {
		return i.pieces, nil
	}
	text, err := i.bytes(column)
	return [][]byte{text}, err
}

// withComments returns mapping with the comments above and below it in a document, on its first and last key.
func withComments(mapping *yaml.Node, head, foot string) *yaml.Node {
	if mapping.Kind != yaml.MappingNode || len(mapping.Content) == 0 || head+foot == "" {
		return mapping
	}
	m := *mapping
	m.Content = append([]*yaml.Node(nil), mapping.Content...)
	first := *m.Content[0]
	first.HeadComment = yamlnode.JoinComments("\n\n", head, first.HeadComment)
	m.Content[0] = &first
	last := *m.Content[len(m.Content)-2]
	last.FootComment = yamlnode.JoinComments("\n\n", last.FootComment, foot)
	m.Content[len(m.Content)-2] = &last
	return &m
}

// InPlaceOf returns i in the place of another item of their list in brackets: with the text between the other item
// and its predecessor.
func (i *Item) InPlaceOf(other *Item) *Item {
	if i.at.inBrackets == nil || other.at.inBrackets == nil {
		return i
	}
	moved, at := *i, *i.at.inBrackets
	at.lead, moved.at.inBrackets = other.at.inBrackets.lead, &at
	return &moved
}

// Edited returns i with the text of the merge of it and upstream's item, which may be nil: its own text with edits
// (rules/comments-and-text: encoded fields). It is nil if only the encoder can write the result. If origin is not nil,
// upstream's changes of empty lines are among the edits.
func (i *Item) Edited(upstream, origin *Item, result parts.Part) *Item {
	own := i.ParsedText()
	if own == nil {
		return nil
	}
	var was, other *manifest.Text
	if upstream != nil {
		other = upstream.ParsedText()
	}
	if origin != nil {
		was = origin.ParsedText()
	}
	pieces, told, err := manifest.EditInPieces(own, other, was, result)
	if err != nil {
		return nil
	}
	edited, err := i.withPieces(pieces)
	if err != nil {
		return nil
	}
	edited.encodings = slices.Concat(i.encodings, told)
	return edited
}

// isInLines reports whether i is in the lines of a list.
func (i *Item) isInLines() bool { return !i.at.isDocument && i.at.inBrackets == nil }

// withPieces is withText for pieces of a text, which are joined unless the item is in the lines of a list.
func (i *Item) withPieces(pieces [][]byte) (*Item, error) {
	inLines := i.isInLines()
	if inLines && len(pieces) > 1 && bytes.HasSuffix(pieces[len(pieces)-1], []byte("\n")) {
		edited := i.withText(nil)
		edited.pieces = pieces
		return edited, nil
	}
	text, err := bytes.Join(pieces, nil), error(nil)
	if inLines {
		text, err = ended(text)
	}
	return i.withText(text), err
}

// isWhole reports whether the encoder wrote the whole resource.
func isWhole(told []manifest.Encoding) bool {
	return slices.ContainsFunc(told, func(t manifest.Encoding) bool { return t.What == "resource" })
}

// Encodings returns the parts of i's text that the encoder wrote.
func (i *Item) Encodings() []manifest.Encoding { return i.encodings }

// ToldAs returns i with the encodings of another item.
func (i *Item) ToldAs(other *Item) *Item {
	same := *i
	same.encodings = other.encodings
	return &same
}

// Identified returns i, marked as an item whose ids of kpt were chosen for local's version.
func (i *Item) Identified(local *Item) *Item {
	same := *i
	same.idsBeside = local
	return &same
}

// IsIdentified reports whether i's ids of kpt were chosen for local's version.
func (i *Item) IsIdentified(local *Item) bool { return i.idsBeside == local }

// ended returns the text of an item with a line break at its end, because it precedes other lines in a list. It is an
// error if that changes the item: then the line break is part of a block scalar.
func ended(text []byte) ([]byte, error) {
	if bytes.HasSuffix(text, []byte("\n")) {
		return text, nil
	}
	was, err := parseItem(text)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text):len(text)], '\n')
	is, err := parseItem(text)
	if err == nil && !manifest.IsSame(was, is) {
		err = errors.New("a line break is part of the item")
	}
	return text, err
}

// withEdits returns i, which is parsed, with another node: its text with edits; nil if only the encoder can write it.
func (i *Item) withEdits(node *yaml.Node) *Item {
	return i.Edited(nil, nil, parts.Part{Value: node, Local: parts.Entry{Value: i.Node}, From: parts.Local})
}

// Rewritten returns i with another node: the text of i with edits, and the parts without a text encoded
// (rules/comments-and-text: encoded fields).
func (i *Item) Rewritten(node *yaml.Node) (*Item, error) {
	full, err := i.Parsed()
	if err != nil {
		return nil, err
	}
	if edited := full.withEdits(node); edited != nil {
		if !isWhole(edited.encodings) { // no side has the bookkeeping of this program
			edited.encodings = i.encodings
		}
		return edited, nil
	}
	changed := full.WithNode(node)
	encoded, err := changed.Encoded()
	if err != nil && i.at.inBrackets != nil {
		return changed, nil // the node does not fit in brackets: the list returns an error
	}
	return encoded, err
}

// reworked is Rewritten with the node that change returns. If that has no text, the item keeps the node to be
// encoded. An item that cannot be parsed stays unchanged.
func (i *Item) reworked(change func(*yaml.Node) *yaml.Node) *Item {
	full, err := i.Parsed()
	if err != nil {
		return i
	}
	node := change(full.Node)
	if node == full.Node {
		return full
	}
	if edited := full.withEdits(node); edited != nil {
		if again, err := edited.Parsed(); err == nil {
			return again
		}
	}
	return full.WithNode(node)
}

// SetMergeComment returns a copy of item with text, such as "kpt-merge: namespace/name", as the line comment of its
// metadata field (rules/identity: merge comments): on the key, or on a value that is not a block mapping. It replaces
// a merge comment; another line comment moves to the end of the head comment. It returns item itself if it has that comment or no metadata, if
// no comment can hold text, or if there is no place for one: beside an anchor or a tag yaml.v3 gives it to the field
// below, and JSON, or an item in flow style without a line for metadata, has none (rules/comments-and-text: KYAML and
// JSON).
func SetMergeComment(item *yaml.Node, text string) *yaml.Node {
	at := position(item, "metadata")
	if at < 0 || !fitsComment(text) || yamlnode.IsMarked(item.Content[at+1]) || item.Style&yaml.FlowStyle != 0 && !hasLine(item, at) {
		return item
	}
	comment, old := "# "+text, lineComment(item, at)
	key, value := *item.Content[at], *item.Content[at+1]
	key.LineComment, value.LineComment = "", ""
	slot := &value.LineComment
	if yamlnode.IsBlock(&value) {
		slot = &key.LineComment
	}
	if old == comment {
		return item
	}
	if _, _, replaced := bookkeeping.ReadMergeComment(old); replaced {
		old = ""
	}
	key.HeadComment, *slot = yamlnode.JoinComments("\n", key.HeadComment, old), comment
	n := *item
	n.Content = append([]*yaml.Node(nil), item.Content...)
	n.Content[at], n.Content[at+1] = &key, &value
	return &n
}

// hasLine reports whether a field of an item in flow style ends a line that can hold a comment, as in KYAML. at is
// the index of its key. The item must not be JSON, and neither metadata nor the field below may begin in the line of
// the field above.
func hasLine(item *yaml.Node, at int) bool {
	key, value := item.Content[at], item.Content[at+1]
	return key.Style&yaml.DoubleQuotedStyle == 0 && len(value.Content) > 0 && value.Content[0].Line > key.Line &&
		(at+2 == len(item.Content) || item.Content[at+2].Line > key.Line)
}

// fitsComment reports whether text is one line that YAML can hold in a comment.
func fitsComment(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsGraphic(r) || r == '\u2028' || r == '\u2029'
	})
}

// lineComment returns the line comment of the field whose key is at an index.
func lineComment(mapping *yaml.Node, at int) string {
	return yamlnode.JoinComments(" ", mapping.Content[at].LineComment, mapping.Content[at+1].LineComment)
}
