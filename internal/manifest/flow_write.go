package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// flowWriter writes values in flow style: as JSON if the resource is JSON, without comments, which JSON cannot have,
// and as KYAML if it is KYAML. With a unit every entry has a line of its own, and its comments.
type flowWriter struct {
	json, kyaml bool
	// trailing writes a comma behind the last entry too, and unfolded writes a text of several lines in one line.
	trailing, unfolded bool
	unit               string
	// comma and colon are the text between entries of one line, and behind a key.
	comma, colon string
	out          []byte
	failed       bool
}

func (w *flowWriter) text(s string) { w.out = append(w.out, s...) }

// value writes a value whose line is indented by margin. The caller writes the value's own comments.
func (w *flowWriter) value(n *yaml.Node, margin string) {
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		w.failed = true
	case n.Kind == yaml.ScalarNode:
		w.scalar(n, margin)
	case n.Style&yaml.TaggedStyle != 0:
		w.failed = true
	case n.Kind == yaml.MappingNode:
		w.collection(n, "{", "}", margin)
	default:
		w.collection(n, "[", "]", margin)
	}
}

// collection writes a collection whose own line is indented by margin.
func (w *flowWriter) collection(n *yaml.Node, left, right, margin string) {
	w.text(left)
	if w.unit == "" || len(n.Content) == 0 || w.kyaml && n.Kind == yaml.SequenceNode && isCuddled(n) {
		w.members(n, margin)
	} else {
		w.lines(n, margin)
	}
	w.text(right)
}

// members writes the entries of a collection in one line.
func (w *flowWriter) members(n *yaml.Node, margin string) {
	for i := range count(n) {
		if i > 0 {
			w.text(w.comma)
		}
		key, value := entryOf(n, i)
		if w.failed = w.failed || !w.json && (hasOwnComments(value) && !w.kyaml || key != nil && hasOwnComments(key)); key != nil {
			w.key(key)
		}
		w.value(value, margin)
	}
}

// lines writes each entry of a collection in lines of its own.
func (w *flowWriter) lines(n *yaml.Node, margin string) {
	w.text("\n")
	for i := range count(n) {
		key, value := entryOf(n, i)
		w.entry(key, value, margin+w.unit, w.trailing || i+1 < count(n))
	}
	w.comments(n.FootComment, margin+w.unit)
	w.text(margin)
}

// isCuddled reports whether KYAML writes the brackets of a list beside its elements' brackets: all elements are
// collections, and none has comments.
func isCuddled(n *yaml.Node) bool {
	return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return !isCollection(c) || c.HeadComment+c.LineComment != "" }) && n.FootComment == ""
}

func (w *flowWriter) key(n *yaml.Node) {
	switch {
	case w.json && n.ShortTag() != "!!str" || n.Kind != yaml.ScalarNode || n.Anchor != "":
		w.failed = true
	case !w.kyaml:
		w.scalar(n, "")
	case n.Style&yaml.TaggedStyle != 0 || isMergeKey(n):
		w.failed = true
	case isPlainKey(n.Value):
		w.text(n.Value)
	default:
		w.text(quotedKYAML(n.Value))
	}
	w.text(w.colon)
}

// hasOwnComments reports whether a node has comments of its own.
func hasOwnComments(n *yaml.Node) bool { return n.HeadComment+n.LineComment+n.FootComment != "" }

// plainSigns are the signs allowed anywhere in a plain scalar of a flow collection, besides letters and digits.
const plainSigns = "~@%+*=-"

// isPlainText reports whether a text can be plain in a flow collection: words of letters, digits and signs that never
// have a meaning of their own there, with single spaces between them, and colons within them. A first dash needs a
// letter, a digit or a dash behind it.
func isPlainText[T string | []byte](text T) bool {
	if len(text) == 0 || strings.IndexByte("@%+*=", text[0]) >= 0 || len(text) > 2 && string(text[:3]) == "---" {
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
	return isWord(c) && c != '$' || strings.IndexByte(plainSigns, c) >= 0
}

// scalar writes a scalar: plain if it was and can be plain, else quoted.
func (w *flowWriter) scalar(n *yaml.Node, margin string) {
	tag := n.ShortTag()
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	if n.Style&yaml.TaggedStyle != 0 && !w.json && !(w.kyaml && (tag == "!!str" || tag == plain.ShortTag())) {
		w.text(tag + " ")
	}
	switch {
	case w.json && n.Style&yaml.TaggedStyle != 0 || n.Anchor != "" || n.Kind != yaml.ScalarNode || isMergeKey(n):
		w.failed = true
	case w.kyaml && n.Style == 0 && yamlnode.IsBooleanWord(n.Value): // kubectl reads it as a boolean
		w.text(n.Value)
	case w.kyaml && (tag == "!!str" || tag == "!!timestamp"):
		w.textKYAML(n.Value, margin)
	case tag == "!!str" && !w.json && n.Style == 0 && isPlainText(n.Value):
		w.text(n.Value)
	case tag == "!!null":
		w.text("null")
	case tag == "!!str" || w.json && tag == "!!timestamp":
		w.quoted(n.Value)
	case w.json && tag == "!!bool":
		w.text(strings.ToLower(n.Value))
	case !w.json || json.Valid([]byte(n.Value)):
		w.text(n.Value)
	default:
		w.number(n)
	}
}

// number writes a number as JSON that only YAML writes in its way, such as 0644.
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

// quoted writes a text in double quotes that JSON and YAML read alike.
func (w *flowWriter) quoted(s string) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a text and a buffer never fail
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// The texts of KYAML, the form of flow style that kubectl writes.

// textKYAML writes a text in double quotes. A text of several lines has a continued line for each: it begins with a
// space, or with a backslash if the text has white space there, and ends with an escaped line break and a real one.
func (w *flowWriter) textKYAML(s, margin string) {
	if !strings.Contains(s, "\n") || w.unit == "" || w.unfolded {
		w.text(quotedKYAML(s))
		return
	}
	margin += w.unit
	w.text("\"\\\n")
	for line := range strings.Lines(s) {
		first := " "
		if line[0] == ' ' || line[0] == '\t' {
			first = `\`
		}
		w.text(margin + first + escapedKYAML(line) + "\\\n")
	}
	w.text(margin + `"`)
}

func quotedKYAML(s string) string { return `"` + escapedKYAML(s) + `"` }

// escapedKYAML returns a text with the escapes of double quotes: printable characters and tabs stay.
func escapedKYAML(s string) string {
	var b strings.Builder
	runes := escapeRunes()
	for _, r := range s {
		at := slices.Index(runes[:], r)
		switch {
		case r == '\t' || unicode.IsPrint(r) && r != '"' && r != '\\':
			b.WriteRune(r)
		case at >= 0:
			b.WriteString(`\` + escapeLetters[at:at+1])
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// isPlainKey reports whether KYAML writes a key without quotes: it has letters, digits and underscores, within it
// dashes, dots and slashes, and every parser reads it as text.
func isPlainKey(s string) bool {
	for i, r := range s {
		inside := i > 0 && i < len(s)-1 && (r == '-' || r == '.' || r == '/')
		if !inside && r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return false
		}
	}
	if s == "" || strings.EqualFold(s, "null") || yamlnode.IsBooleanWord(s) {
		return false
	}
	digits := strings.ReplaceAll(s, "_", "")
	_, notBool := strconv.ParseBool(s)
	_, notInt := strconv.ParseInt(digits, 0, 64)
	_, notFloat := strconv.ParseFloat(digits, 64)
	_, notDate := time.Parse("2006-1-2", s)
	return notBool != nil && notInt != nil && notFloat != nil && notDate != nil
}
