package resourcelist

import (
	"bytes"
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/plainyaml"
)

// chunk is the text of one item as it stands in the list.
type chunk struct {
	start, end int // the bytes of the input
	line       int // the number of the first line
}

// line is what a line is to the splitter.
type line struct {
	indent int  // the number of spaces it begins with
	first  byte // what comes then; 0 if nothing
	dash   bool // whether that is the dash of a sequence item
}

// readSplit reads data by splitting it, and says whether that was possible.
func readSplit(data []byte) (*List, bool) {
	at := itemsLine(data)
	if at < 0 || isFlow(data) {
		return nil, false
	}
	body := nextLine(data, at)
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

// itemsLine returns the start of the first line that begins with `items:`, or
// -1 if there is none.
func itemsLine(data []byte) int {
	if bytes.HasPrefix(data, []byte("items:")) {
		return 0
	}
	if at := bytes.Index(data, []byte("\nitems:")); at >= 0 {
		return at + 1
	}
	return -1
}

// hasLinePrefix tells whether a line of data begins with prefix.
func hasLinePrefix(data []byte, prefix string) bool {
	return bytes.HasPrefix(data, []byte(prefix)) || bytes.Contains(data, []byte("\n"+prefix))
}

// nextLine returns the start of the line after the one that at is in.
func nextLine(data []byte, at int) int {
	if end := bytes.IndexByte(data[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(data)
}

// lineAt reads the line that begins at.
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

// split finds the items in the lines from at on, the first of which has the
// given number, and the column of their dashes. It fails if a guard holds, or
// there is no item.
func split(data []byte, at, number int) (chunks []chunk, column int, ok bool) {
	for ; at < len(data) && lineAt(data, at).first == 0; at, number = nextLine(data, at), number+1 {
	}
	column = lineAt(data, at).indent
	end := len(data)
	for _, s := range shallows(data, at, number, column) {
		l := lineAt(data, s.at)
		if l.first == 0 {
			continue
		}
		if hasTabIndent(l, column) || isOuterComment(l, column) || isStray(l, column) {
			return nil, 0, false
		}
		if !l.dash || l.indent != column {
			end = s.at
			break
		}
		chunks = append(chunks, chunk{start: s.at, line: s.number})
	}
	for i := range chunks {
		if chunks[i].end = end; i+1 < len(chunks) {
			chunks[i].end = chunks[i+1].start
		}
	}
	return chunks, column, len(chunks) > 0
}

// splitShell parses the list without its items: what is above them, the rest of
// the items line, and what is below.
func splitShell(head, rest, tail []byte) (*yaml.Node, bool) {
	doc, err := parse(bytes.Join([][]byte{head, []byte("items: []"), rest, tail}, nil))
	if err != nil || check(doc.Content[0]) != nil {
		return nil, false
	}
	return doc, isPlainShell(doc.Content[0], 1+bytes.Count(head, []byte("\n")))
}

// readChunks skims every chunk, or parses it alone.
func readChunks(data []byte, chunks []chunk, column int) ([]*Item, bool) {
	items, bodies := make([]*Item, len(chunks)), plainyaml.NewBodies()
	err := parallel.Each(len(chunks), func(i int) error {
		c := chunks[i]
		if skimmed := bodies.Read(data[c.start:c.end:c.end], column); skimmed != nil {
			items[i] = skimmedItem(skimmed, data, c, column)
			return nil
		}
		if !isPlainText(data[c.start:c.end]) {
			return errors.New("a text for the full parser")
		}
		text, err := readItem(data[c.start:c.end:c.end])
		if err != nil {
			return err
		}
		node := text.Root()
		items[i] = newItem(node, data, c, 1, column)
		items[i].parsed = text
		items[i].Line = c.line + node.Line - 1
		return nil
	})
	return items, err == nil
}

// lastLine returns the last line of text that is not empty.
func lastLine(text []byte) []byte {
	text = bytes.TrimRight(text, " \t\n")
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
