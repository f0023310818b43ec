package resourcelist

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
)

// readJSON reads data if it is JSON: that says where each item is, and what JSON is, is the same to YAML wherever
// it stands. It reports whether that was possible; if not, the full parser says what is wrong.
func readJSON(data []byte) (*List, bool) {
	if start := skipSpace(data, 0); start == len(data) || data[start] != '{' || !json.Valid(data) {
		return nil, false
	}
	list, found := itemsOf(data)
	if !found {
		return nil, false
	}
	var items []manifest.Span
	members(data, list[0], func(at int) int {
		end := valueEnd(data, at)
		items = append(items, manifest.Span{at, end})
		return end
	})
	return readBrackets(data, list, items, true)
}

// itemsOf finds the one list that is a field of an object and called items.
func itemsOf(data []byte) (list manifest.Span, found bool) {
	count := 0
	each(data, skipSpace(data, 0), func(name string, _, value manifest.Span) {
		if name == "items" {
			list, count = value, count+1
		}
	})
	return list, count == 1 && data[list[0]] == '['
}

// members calls visit with where each member of an object or a list of JSON
// begins, which itself begins at a position. visit returns where the member ends.
func members(data []byte, at int, visit func(int) int) {
	for at = skipSpace(data, at+1); data[at] != '}' && data[at] != ']'; at = skipSpace(data, at) {
		if at = skipSpace(data, visit(at)); data[at] == ',' {
			at++
		}
	}
}

// skipSpace returns the first position from at on that has no white space.
func skipSpace(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0 {
		at++
	}
	return at
}

// valueEnd returns where a value of JSON ends that begins at a position.
func valueEnd(data []byte, at int) int {
	depth := 0
	for ; at < len(data); at++ {
		switch data[at] {
		case '"':
			if at = stringEnd(data, at); depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
			if depth < 0 {
				return at
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// stringEnd returns where the last quote of a string is that begins at a position.
func stringEnd(data []byte, at int) int {
	for at++; at < len(data) && data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at
}

// jsonItem is what an item in JSON says of itself, read without the parser, as that of
// a plain item in lines is (rules/reading: lists in JSON).
type jsonItem struct {
	text []byte
	// top and meta are the fields of the item and of its metadata that say who it is.
	top, meta []*yaml.Node
	// within is the map of annotations, notes are those, in its order.
	within manifest.Span
	notes  []jsonNote
}

// jsonNote is an annotation.
type jsonNote struct {
	name, value string
	text        manifest.Span
}

// readJSONHead reads the text of an item, which is JSON; nil if it is for the parser to read: YAML has other
// escapes and line breaks, and a name may be there twice.
func readJSONHead(text []byte) *jsonItem {
	if bytes.Contains(text, []byte(`\u`)) || bytes.IndexByte(text, 0x7f) >= 0 || !utf8.Valid(text) || !isPlainUTF8(text) || hasUnicodeBreak(text) || bytes.IndexByte(text, '\r') >= 0 {
		return nil
	}
	h := &jsonItem{text: text}
	seen, plain, fields := 0, true, true
	h.top, fields = h.fields(0, func(name string, value manifest.Span) bool {
		if name != "metadata" {
			return name == "apiVersion" || name == "kind"
		}
		seen++
		plain = plain && text[value[0]] == '{' && h.readMeta(value[0])
		return false
	})
	if !plain || !fields || seen != 1 || len(h.top) == 0 {
		return nil
	}
	return h
}

func (h *jsonItem) readMeta(at int) bool {
	seen, plain, fields := 0, true, true
	h.meta, fields = h.fields(at, func(name string, value manifest.Span) bool {
		if name != "annotations" {
			return name == "name" || name == "namespace" || name == "generateName"
		}
		seen++
		plain = plain && h.text[value[0]] == '{' && h.readNotes(value)
		return false
	})
	return plain && fields && seen <= 1
}

func (h *jsonItem) readNotes(at manifest.Span) bool {
	h.within = at
	_, plain := h.fields(at[0], func(string, manifest.Span) bool { return true })
	each(h.text, at[0], func(name string, key, value manifest.Span) {
		if plain {
			h.notes = append(h.notes, jsonNote{name, string(h.text[value[0]+1 : value[1]-1]), manifest.Span{key[0], value[1]}})
		}
	})
	return plain
}

// fields returns the keys and values of those members of an object that are
// wanted. It reports whether all of them are plain texts, and none is there twice.
func (h *jsonItem) fields(at int, wanted func(name string, value manifest.Span) bool) (nodes []*yaml.Node, plain bool) {
	plain = true
	each(h.text, at, func(name string, _, value manifest.Span) {
		if bytes.IndexByte([]byte(name), '\\') >= 0 {
			plain = false
		}
		if !wanted(name, value) {
			return
		}
		text := h.text[value[0]:value[1]]
		if plain = plain && isPlainJSON(text) && len(nodes) < maxPlain && position(jsonMap(nodes), name) < 0; !plain {
			return
		}
		nodes = append(nodes, jsonText(name), jsonText(string(text[1:len(text)-1])))
	})
	return nodes, plain
}

// maxPlain is twice how many fields a plain map has at most that is read.
const maxPlain = 200

// isPlainJSON reports whether text is a text of JSON without escapes.
func isPlainJSON(text []byte) bool { return text[0] == '"' && bytes.IndexByte(text, '\\') < 0 }

// each calls visit with the name of each member of an object of JSON, and where its key and its value stand.
func each(data []byte, at int, visit func(name string, key, value manifest.Span)) {
	members(data, at, func(at int) int {
		key := manifest.Span{at, valueEnd(data, at)}
		start := skipSpace(data, skipSpace(data, key[1])+1)
		value := manifest.Span{start, valueEnd(data, start)}
		visit(string(data[key[0]+1:key[1]-1]), key, value)
		return value[1]
	})
}

func jsonText(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value}
}

func jsonMap(content []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle, Content: content}
}

// head makes the mapping, anew each time.
func (h *jsonItem) head() *yaml.Node {
	meta := slices.Clone(h.meta)
	if h.within[1] > 0 {
		var notes []*yaml.Node
		for _, n := range h.notes {
			notes = append(notes, jsonText(n.name), jsonText(n.value))
		}
		meta = append(meta, jsonText("annotations"), jsonMap(notes))
	}
	return jsonMap(append(slices.Clone(h.top), jsonText("metadata"), jsonMap(meta)))
}

func (h *jsonItem) find(name string) int {
	return slices.IndexFunc(h.notes, func(n jsonNote) bool { return n.name == name })
}

func (h *jsonItem) annotation(name string) string {
	if at := h.find(name); at >= 0 {
		return h.notes[at].value
	}
	return ""
}

func (h *jsonItem) annotated(name string) bool { return h.find(name) >= 0 }

func (h *jsonItem) mayHaveNull() bool { return bytes.Contains(h.text, []byte("null")) }

func (h *jsonItem) isSame(other textForm, ignored manifest.Ignored) bool {
	o, ok := other.(*jsonItem)
	return ok && slices.EqualFunc(h.parts(ignored), o.parts(ignored), bytes.Equal)
}

func (h *jsonItem) withoutAnnotation(i *Item, name string) *Item {
	if h.annotated(name) {
		return nil
	}
	return i
}

// withMergeComment returns i: JSON has no comments.
func (h *jsonItem) withMergeComment(i *Item, _ string) *Item { return i }

// parts is the text without what is ignored: what is above the annotations, each of them that stays, and what is below.
func (h *jsonItem) parts(ignored manifest.Ignored) [][]byte {
	if h.within[1] == 0 {
		return [][]byte{h.text}
	}
	parts := [][]byte{h.text[:h.within[0]]}
	for _, n := range h.notes {
		if !ignored.Annotation(n.name) {
			parts = append(parts, h.text[n.text[0]:n.text[1]])
		}
	}
	return append(parts, h.text[h.within[1]:])
}
