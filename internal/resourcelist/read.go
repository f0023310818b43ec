package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// chunk is the text of one item in its list.
type chunk struct {
	start, end int // the bytes of the input
	line       int // the number of the first line
}

// line has the properties of a line that matter for splitting.
type line struct {
	indent int  // the number of spaces it begins with
	first  byte // the next byte, 0 if there is none
	dash   bool // whether that is the dash of a sequence item
}

// readSplit reads data by splitting it, and reports whether that was possible.
func readSplit(data []byte) (*List, bool) {
	at := itemsLine(data)
	if at < 0 || data[0] == '{' || data[0] == '[' {
		return nil, false
	}
	body := stream.NextLine(data, at)
	chunks, column, ok := split(data, body, 2+bytes.Count(data[:at], []byte("\n")))
	if !ok {
		return nil, false
	}
	below := data[chunks[len(chunks)-1].end:]
	if !isItemsLine(data[at:body]) || needsFullParser(data[:body], below) {
		return nil, false
	}
	shell, ok := splitShell(data[:at], data[at+len("items:"):body], below)
	if !ok {
		return nil, false
	}
	items, ok := readChunks(data, chunks, column)
	return &List{Items: items, shell: shell, column: column}, ok
}

// itemsLine returns the start of the first line that begins with `items:`, or -1 if there is none.
func itemsLine(data []byte) int {
	if bytes.HasPrefix(data, []byte("items:")) {
		return 0
	}
	if at := bytes.Index(data, []byte("\nitems:")); at >= 0 {
		return at + 1
	}
	return -1
}

// lineAt reads the line that begins at an index.
func lineAt(data []byte, at int) line {
	var l line
	for at < len(data) && data[at] == ' ' {
		l.indent++
		at++
	}
	if at == len(data) || data[at] == '\n' {
		return l
	}
	l.first = data[at]
	l.dash = l.first == '-' && (at+1 == len(data) || bytes.IndexByte([]byte(" \t\n"), data[at+1]) >= 0)
	return l
}

// split finds the items in the lines from at on, and the column of their dashes. number is the number of the first
// line. It fails if a guard applies, or there is no item.
func split(data []byte, at, number int) (chunks []chunk, column int, ok bool) {
	for ; at < len(data) && lineAt(data, at).first == 0; at, number = stream.NextLine(data, at), number+1 {
	}
	column = lineAt(data, at).indent
	end, deeper := len(data), bytes.Repeat([]byte(" "), column+1)
	for ; at < len(data); at, number = stream.NextLine(data, at), number+1 {
		if bytes.HasPrefix(data[at:], deeper) {
			continue
		}
		l := lineAt(data, at)
		if l.first == 0 {
			continue
		}
		if l.isOdd(column) {
			return nil, 0, false
		}
		if !l.dash || l.indent != column {
			end = at
			break
		}
		chunks = append(chunks, chunk{start: at, line: number})
	}
	for i := range chunks {
		if chunks[i].end = end; i+1 < len(chunks) {
			chunks[i].end = chunks[i+1].start
		}
	}
	return chunks, column, len(chunks) > 0
}

// isOdd reports whether a line, which is not empty, may be something else than the lines of items with dashes in a
// column and of the text below them: there is a tab in its indentation, it is a comment outside the items, or it is in
// no item and not at column 0.
func (l line) isOdd(column int) bool {
	return l.indent <= column && l.first == '\t' || isOuterComment(l, column) ||
		l.indent > 0 && l.indent < column || l.indent == column && column > 0 && !l.dash
}

// splitShell parses the list without its items: the lines above them, the rest of the items line, and the lines
// below.
func splitShell(head, rest, tail []byte) (*yaml.Node, bool) {
	doc, err := parse(bytes.Join([][]byte{head, []byte("items: []"), rest, tail}, nil))
	if err != nil || check(doc.Content[0]) != nil {
		return nil, false
	}
	return doc, isPlainShell(doc.Content[0], 1+bytes.Count(head, []byte("\n")))
}

// readChunks reads the items of chunks.
func readChunks(data []byte, chunks []chunk, column int) ([]*Item, bool) {
	items, bodies := make([]*Item, len(chunks)), manifest.NewBodies()
	err := parallel.Each(len(chunks), func(i int) (err error) {
		c := chunks[i]
		items[i], err = readChunk(data[c.start:c.end:c.end], c.line, column, bodies)
		return err
	})
	return items, err == nil
}

// readChunk skims the text of an item, or parses it alone. A text without a line break at its end gets one, unless
// that changes the item, as in a block scalar.
func readChunk(text []byte, line, column int, bodies *manifest.Bodies) (*Item, error) {
	if s := bodies.Read(text, column); s != nil {
		return skimmedItem(s, text, line, column), nil
	}
	if !isPlainText(text) {
		return nil, errors.New("a text for the full parser")
	}
	i, err := (&Item{Line: line, text: text, at: place{column: column}}).Parsed()
	if err != nil {
		return nil, err
	}
	i.Line += i.Node.Line - 1
	if i.text, err = ended(text); err != nil {
		i.text = nil
	}
	return i, nil
}

// useLines assigns to the items of a block list, whose key is at the given index, the lines they may be in, and the
// others to the shell, so that every comment is in one place. Errors in the items' lines show when the items are
// parsed alone. It does nothing for another list, or if the parser may count the lines in another way.
func (l *List) useLines(data []byte, root *yaml.Node, at int) {
	list := root.Content[at+1]
	if list.Kind != yaml.SequenceNode || !yamlnode.IsBlock(list) || yamlnode.IsMarked(list) || !isPlainText(data) {
		return
	}
	begins := lineStarts(data)
	end := len(begins)
	if at+2 < len(root.Content) {
		end = root.Content[at+2].Line
	}
	l.column = list.Column - 1
	key := root.Content[at].Line
	starts := itemStarts(data, begins, l.Items, key, l.column)
	starts = append(starts, lastItemEnd(data, begins, l.Items[len(l.Items)-1].Line, end))
	for i, item := range l.Items {
		item.above, item.at = starts[i]-1, place{column: l.column}
		item.useText(data[begins[starts[i]-1]:begins[starts[i+1]-1]])
	}
	l.useShellLines(data[:begins[key-1]], data[begins[key-1]:begins[starts[0]-1]], data[begins[starts[len(l.Items)]-1]:])
}

// useText gives an item the lines it may be in, with the node of these parsed alone, if that has the same values:
// yaml.v3 may give the comments at the end of one item to the next.
func (i *Item) useText(text []byte) {
	text = text[:len(text):len(text)]
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if own, err := manifest.Item(text); err == nil && manifest.Compare(i.Node, own.Root()).SameValues() {
		i.text, i.Node, i.parsed, i.above = text, own.Root(), own, 0
	}
}

// useShellLines reads the shell from the lines above the items, the line of their key and the lines below, if these
// have the same values.
func (l *List) useShellLines(above, key, below []byte) {
	rest, found := bytes.CutPrefix(key, []byte("items:"))
	if !found {
		return
	}
	if shell, ok := splitShell(above, rest, below); ok && manifest.Compare(l.shell, shell).SameValues() {
		l.shell = shell
	}
}

// itemStarts returns the number of the first line of each item: the first one below the items key that is not empty,
// or the first of the comments right above the dash.
func itemStarts(data []byte, lines []int, items []*Item, key, column int) []int {
	first := min(key+1, items[0].Line)
	for first < items[0].Line && lineAt(data, lines[first-1]).first == 0 {
		first++
	}
	starts := []int{first}
	for i := 1; i < len(items); i++ {
		starts = append(starts, firstLine(data, lines, items[i-1].Line, items[i].Line, column))
	}
	return starts
}

// lineStarts returns the index of the first byte of each line of data, and the length of data: the line with number n
// begins at element n-1.
func lineStarts(data []byte) []int {
	starts := make([]int, 0, bytes.Count(data, []byte("\n"))+2)
	for at := 0; at < len(data); at = stream.NextLine(data, at) {
		starts = append(starts, at)
	}
	return append(starts, len(data))
}

// firstLine returns the number of the first line of an item. number is the line of its node. It is the line of the
// dash or the first of the comments right above it, but below the line above.
func firstLine(data []byte, lines []int, above, number, column int) int {
	for number > above+1 {
		if l := lineAt(data, lines[number-1]); l.dash && l.indent == column {
			break
		}
		number--
	}
	for number > above+1 && isOuterComment(lineAt(data, lines[number-2]), column) {
		number--
	}
	return number
}

// lastItemEnd returns the number of the line after the last item. number is the line of its node. Comments at column
// 0 and the marker of the document's end belong to the text below.
func lastItemEnd(data []byte, lines []int, number, end int) int {
	last := end
	for n := end - 1; n > number; n-- {
		l := lineAt(data, lines[n-1])
		marker := bytes.HasPrefix(data[lines[n-1]:], []byte("..."))
		if l.first != 0 && !isOuterComment(l, 0) && !marker {
			break
		}
		if l.first == '#' || marker {
			last = n
		}
	}
	return last
}

// normalize turns CRLF to LF, as kyaml's reader does, and removes a byte order mark of UTF-8.
func normalize(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if isUTF16(data) || !bytes.Contains(data, []byte("\r\n")) {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// parse parses data as one document. Empty documents, such as after a last `---`, don't count. The errors are in
// rules/input: bad input.
func parse(data []byte) (doc *yaml.Node, err error) {
	defer yamlnode.Recover(&err)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		next := new(yaml.Node)
		switch err = decoder.Decode(next); {
		case errors.Is(err, io.EOF) && doc == nil:
			return nil, errors.New("the input is empty: expected a ResourceList")
		case errors.Is(err, io.EOF):
			return doc, nil
		case err != nil:
			return nil, fmt.Errorf("the input is not YAML: %s", wording.Indentation(strings.TrimPrefix(WithoutAnchor(err.Error()), "yaml: "), data))
		case len(next.Content) == 0 || next.Content[0].Kind == yaml.ScalarNode && next.Content[0].Value == "":
		case doc != nil:
			return nil, fmt.Errorf("line %d: a second YAML document: expected one ResourceList", next.Content[0].Line)
		default:
			doc = next
		}
	}
}

// WithoutAnchor removes the name of a missing anchor from a parser's error: it may be a password that begins with a
// star and has no quotes.
func WithoutAnchor(text string) string {
	const unknown = "unknown anchor"
	if before, _, found := strings.Cut(text, unknown); found {
		return before + unknown + " referenced: a value that begins with * needs quotes"
	}
	return text
}

// parseRaw returns the root of a document, with the comments where yaml.v3 puts them.
func parseRaw(data []byte) (root *yaml.Node, err error) {
	doc, err := parse(data)
	if err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// parseItem parses the text of one item. In the node, the first line of text has number 1. It is an error if text is
// not exactly one item that is a mapping.
func parseItem(text []byte) (*yaml.Node, error) {
	t, err := manifest.Item(text)
	if err != nil {
		return nil, err
	}
	return t.Root(), nil
}

// emptyList returns the node of `[]`.
func emptyList() *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
}

// position returns the index of the key with a name in mapping's content, or -1. The value is the node after it.
func position(mapping *yaml.Node, name string) int { return yamlnode.Indices(mapping)(name) }

// kindName names the kind of n, for an error.
func kindName(n *yaml.Node) string {
	switch yamlnode.Resolve(n).Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "null"
	}
	return "a scalar"
}

// resourceName describes the resource n for an error: "Deployment web (apps/v1)", or "a mapping without a kind".
func resourceName(n *yaml.Node) string {
	meta, words := yamlnode.MetaOf(n), []string{"a mapping without a kind"}
	if meta.Kind != "" {
		words = []string{"a", meta.Kind}
	}
	if meta.Name != "" {
		words = append(words, meta.Name)
	}
	if meta.APIVersion != "" {
		words = append(words, "("+meta.APIVersion+")")
	}
	return strings.Join(words, " ")
}
