package manifest

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFlow bounds how deep flow collections may lie in each other.
const maxFlow = 16

// flow reads the flow collection that begins at from, in a block collection of a
// column, and returns where it ends; 0 if it has something else than plain words,
// quoted scalars and such collections. Its further lines are deeper than the
// column.
func (s *skimmer) flow(from, indent, depth int) int {
	shut, mapping := byte(']'), s.text[from] == '{'
	if mapping {
		shut = '}'
	}
	s.tree.begin(!mapping, from, yaml.FlowStyle)
	at := s.flowSpace(from+1, indent)
	if at > 0 && s.text[at] == shut {
		s.tree.end()
		return at + 1
	}
	for at > 0 && depth < maxFlow {
		if mapping {
			at = s.flowKey(at)
		}
		if at > 0 {
			at = s.flowValue(at, indent, depth)
		}
		if at > 0 {
			at = s.flowSpace(at, indent)
		}
		switch {
		case at == 0:
			return 0
		case s.text[at] == shut:
			s.tree.end()
			return at + 1
		case s.text[at] != ',':
			return 0
		}
		at = s.flowSpace(at+1, indent)
	}
	return 0
}

// flowSpace goes past spaces and line breaks; 0 if what is below them is not
// within the collection, or is a comment.
func (s *skimmer) flowSpace(at, indent int) int {
	at = skipBlanks(s.text, at)
	if s.text[at] == '\n' {
		at, _ = s.more(indent)
	}
	if at > 0 && s.text[at] == '#' {
		return 0
	}
	return at
}

// flowKey reads a key and its colon, and returns where the value begins, in the
// same line.
func (s *skimmer) flowKey(from int) int {
	end := s.keyOf(from, isDashByte)
	if end == 0 {
		return 0
	}
	s.name(from, end)
	return skipBlanks(s.text, end+1)
}

func (s *skimmer) flowValue(from, indent, depth int) int {
	switch c := s.text[from]; {
	case c == '[' || c == '{':
		return s.flow(from, indent, depth+1)
	case c == '\'' || c == '"':
		return s.quoted(from, indent)
	case !isWord(c) && (c != '-' || !isWord(s.text[from+1]) && s.text[from+1] != '-'):
		return 0
	}
	at := from + 1
	for isFlowText(s.text[at]) || isBetween(s.text[at]) && isWord(s.text[at+1]) {
		at++
	}
	s.word(from, at)
	return at
}

// isFlowText reports whether a plain scalar of a flow collection may have a byte
// that is not its first, whatever is around it.
func isFlowText(c byte) bool { return isWord(c) || c == '-' || c == '=' || c == '+' || c == '*' }

// isBetween reports whether a plain scalar of a flow collection may have a byte
// before a word.
func isBetween(c byte) bool { return c == ' ' || c == ':' || c == '@' }

// JSON returns the document that the YAML parser reads of data, every node with
// its line and column, if data is a list or a map in JSON; else nil. What YAML
// reads otherwise is for the parser: tabs, slashes and surrogates that are escaped,
// long keys and those with the colon in another line.
func ParseJSON(data []byte) *yaml.Node {
	start := len(data) - len(bytes.TrimLeft(data, " \n"))
	if start == len(data) || data[start] != '{' && data[start] != '[' {
		return nil
	}
	if bytes.IndexByte(data, '\t') >= 0 || !isClean(data) || !json.Valid(data) {
		return nil
	}
	t := newTree(data, 1) // what keeps one node is not to keep the others
	t.line(0)
	if t.jsonValue(t.space(0), 0) == 0 {
		return nil
	}
	root := t.done[0]
	return &yaml.Node{Kind: yaml.DocumentNode, Line: root.Line, Column: root.Column, Content: t.done}
}

// maxJSONKey bounds a key with its quotes: YAML's is 1024.
const maxJSONKey = 1000

// space goes past white space.
func (t *tree) space(at int) int {
	for at < len(t.text) && (t.text[at] == ' ' || t.text[at] == '\n') {
		if at++; t.text[at-1] == '\n' {
			t.line(at)
		}
	}
	return at
}

// jsonValue adds a value of valid JSON, and returns where it ends; 0 if it is for
// the parser.
func (t *tree) jsonValue(at, depth int) int {
	switch t.text[at] {
	case '{', '[':
		return t.jsonCollection(at, depth)
	case '"':
		return t.jsonString(at)
	}
	end := at + strings.IndexAny(t.text[at:], ",]} \n")
	t.word(at, end)
	return end
}

func (t *tree) jsonCollection(at, depth int) int {
	list := t.text[at] == '['
	t.begin(list, at, yaml.FlowStyle)
	at = t.space(at + 1)
	for t.text[at] != ']' && t.text[at] != '}' {
		if !list {
			if at = t.jsonKey(at); at == 0 {
				return 0
			}
		}
		if at = t.jsonValue(at, depth+1); at == 0 || depth > maxOpen {
			return 0
		}
		if at = t.space(at); t.text[at] == ',' {
			at = t.space(at + 1)
		}
	}
	t.end()
	return at + 1
}

// jsonKey adds a key, and returns where its value begins.
func (t *tree) jsonKey(at int) int {
	end := t.jsonString(at)
	if end == 0 || end-at > maxJSONKey {
		return 0
	}
	for t.text[end] == ' ' {
		end++
	}
	if t.text[end] != ':' {
		return 0
	}
	return t.space(end + 1)
}

func (t *tree) jsonString(at int) int {
	end := at + 1
	escaped := false
	for t.text[end] != '"' {
		if t.text[end] == '\\' {
			escaped = true
			end++
		}
		end++
	}
	end++
	value := t.text[at+1 : end-1]
	if escaped && (isForParser(value) || json.Unmarshal([]byte(t.text[at:end]), &value) != nil) {
		return 0
	}
	t.add(yaml.ScalarNode, "!!str", value, at).Style = yaml.DoubleQuotedStyle
	return end
}

// isForParser reports whether there may be an escape that JSON and the YAML
// parser read differently.
func isForParser(text string) bool {
	return strings.Contains(text, `\/`) || strings.Contains(text, `\ud`) || strings.Contains(text, `\uD`)
}
