package manifest

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// flowWriter writes values in flow style, as JSON where the resource is JSON:
// without comments, for which JSON has no place. With a unit every entry has a line
// of its own.
type flowWriter struct {
	json      bool
	unit, eol string
	// comma and colon stand between entries of one line, and behind a key.
	comma, colon string
	out          []byte
	failed       bool
}

func (w *flowWriter) text(s string) { w.out = append(w.out, s...) }

func (w *flowWriter) value(n *yaml.Node, margin string) {
	switch {
	case !w.json && hasRemarks(n) || n.Anchor != "" || n.Kind == yaml.AliasNode:
		w.failed = true
	case n.Kind == yaml.ScalarNode:
		w.scalar(n)
	case n.Style&yaml.TaggedStyle != 0:
		w.failed = true
	case n.Kind == yaml.MappingNode:
		w.members(n, "{", "}", 2, margin)
	default:
		w.members(n, "[", "]", 1, margin)
	}
}

// members writes a collection whose own line is indented by margin.
func (w *flowWriter) members(n *yaml.Node, left, right string, step int, margin string) {
	w.text(left)
	inner := margin + w.unit
	for i := 0; i < len(n.Content); i += step {
		switch {
		case i > 0 && w.unit == "":
			w.text(w.comma)
		case i > 0:
			w.text(",")
		}
		if w.unit != "" {
			w.text(w.eol + inner)
		}
		if step == 2 {
			w.key(n.Content[i])
		}
		w.value(n.Content[i+step-1], inner)
	}
	if w.unit != "" && len(n.Content) > 0 {
		w.text(w.eol + margin)
	}
	w.text(right)
}

func (w *flowWriter) key(n *yaml.Node) {
	if !w.json && hasRemarks(n) || w.json && n.ShortTag() != "!!str" {
		w.failed = true
	}
	w.scalar(n)
	w.text(w.colon)
}

// hasRemarks reports whether a node has comments of its own.
func hasRemarks(n *yaml.Node) bool { return n.HeadComment+n.LineComment+n.FootComment != "" }

// plainSigns are what may stand anywhere in a plain scalar of a flow collection,
// beside letters and digits.
const plainSigns = "_./~@%+*=-"

// isPlainText reports whether a text can be plain in a flow collection: words of
// letters, digits and signs that are never YAML's there, with single spaces
// between them, and colons within them. A first dash needs a letter, a digit or a
// dash behind it.
func isPlainText(text string) bool {
	if text == "" || strings.IndexByte("@%+*=", text[0]) >= 0 || strings.HasPrefix(text, "---") {
		return false
	}
	for i := range len(text) {
		word := i > 0 && i+1 < len(text) && isWordByte(text[i-1]) && isWordByte(text[i+1])
		switch c := text[i]; {
		case i == 0 && c == '-':
			if len(text) == 1 || !isWordByte(text[1]) {
				return false
			}
		case isWordByte(c):
		case (c == ' ' || c == ':') && word:
		default:
			return false
		}
	}
	return true
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(plainSigns, c) >= 0
}

// scalar writes a scalar: plain where it was and can be, else quoted.
func (w *flowWriter) scalar(n *yaml.Node) {
	tag := n.ShortTag()
	if n.Style&yaml.TaggedStyle != 0 && !w.json {
		w.text(tag + " ")
	}
	switch {
	case w.json && n.Style&yaml.TaggedStyle != 0 || n.Anchor != "" || n.Kind != yaml.ScalarNode || isMergeKey(n):
		w.failed = true
	case tag == "!!str" && !w.json && n.Style == 0 && isPlainText(n.Value):
		w.text(n.Value)
	case tag == "!!null":
		w.text("null")
	case tag == "!!str" || w.json && tag == "!!timestamp":
		w.quoted(n.Value)
	case !w.json:
		w.text(n.Value)
	case tag == "!!bool":
		w.text(strings.ToLower(n.Value))
	case json.Valid([]byte(n.Value)):
		w.text(n.Value)
	default:
		w.number(n)
	}
}

// number writes a number as JSON that YAML has in a way of its own, as 0644.
func (w *flowWriter) number(n *yaml.Node) {
	var value any
	if n.Decode(&value) != nil {
		w.failed = true
		return
	}
	text, err := json.Marshal(value)
	w.failed = w.failed || err != nil || !strings.Contains("!!int !!float", n.ShortTag())
	w.text(string(text))
}

// quoted writes a text in double quotes, as JSON and YAML have it.
func (w *flowWriter) quoted(s string) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(s) != nil {
		w.failed = true
	}
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
