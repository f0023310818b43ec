// Package wording formats the values in messages.
package wording

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// MaxMessage is the length of a message, in bytes, above which its path is cut: a line of a
	// console. Long values may make it longer.
	MaxMessage = 160
	// ShortValue is the longest value in a message, in bytes (rules/conflicts: results).
	ShortValue = 48
)

// Ellipsis replaces a part that was cut.
const Ellipsis = "…"

// maxStep is the longest step of a path that is cut as a whole.
const maxStep = 24

// Cut shortens text to at most limit bytes, with an ellipsis at its end.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:RuneStart(text, max(limit-len(Ellipsis), 0))] + Ellipsis
}

// First returns the first texts, at most so many, and an ellipsis if there are more.
func First(texts []string, most int) []string {
	if len(texts) <= most {
		return texts
	}
	return append(slices.Clone(texts[:most]), Ellipsis)
}

// FirstFile names the first of some files, and counts the others.
func FirstFile(names []string) string {
	text := fmt.Sprintf("%q", names[0])
	if more := len(names) - 1; more > 0 {
		text += fmt.Sprintf(" and %s", Plural(more, "other file"))
	}
	return text
}

// CutFront shortens text at its start: the end of a path is more specific.
func CutFront(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	start := RuneAfter(text, len(text)-max(limit-len(Ellipsis)-1, 0))
	for step := start; step < min(start+maxStep, len(text)); step++ {
		if between := text[step] == '.' || text[step] == '['; between && strings.Count(text[step:], `"`)%2 == 0 {
			return " " + Ellipsis + text[step:] // a path is cut between two steps
		}
	}
	return " " + Ellipsis + text[start:]
}

// CutMiddle shortens text to at most limit bytes, with an ellipsis in the middle.
func CutMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := (limit - len(Ellipsis)) / 2
	return text[:RuneStart(text, limit-len(Ellipsis)-half)] + Ellipsis + text[RuneAfter(text, len(text)-half):]
}

// RuneStart returns the start of the character at a position.
func RuneStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// RuneAfter returns the position, or the end of the character if it is inside one.
func RuneAfter(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// Object returns the name of a Kubernetes object in sentences: Kind namespace/name.
func Object(kind, namespace, name string) string {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(kind + " " + name)
}

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Flow formats a list or map as one line of YAML, without comments.
func Flow(n *yaml.Node) string {
	text, err := yaml.Marshal(flowNode(n))
	if err != nil {
		return "(not shown: " + err.Error() + ")"
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// JSON formats a value as JSON.
func JSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// Scalar returns the text of a scalar. A null without a text is the word null.
func Scalar(n *yaml.Node) string {
	if n.Value == "" && n.ShortTag() == "!!null" {
		return "null"
	}
	return n.Value
}

func flowNode(n *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if n.Kind == yaml.ScalarNode {
		out.Value = Scalar(n)
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		out.Style = n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	} else {
		out.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		out.Content = append(out.Content, flowNode(c))
	}
	return out
}

// Say writes a line for a person, with invisible characters of packages and remotes as their numbers
// (rules/reports: unseen characters).
func Say(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, Visible(fmt.Sprintf(format, args...), "")+"\n") // there is no other place for an error
}

// Visible replaces invisible characters by their numbers, except for those in keep: control characters,
// line breaks, characters that change the direction of writing, and bytes that are not UTF-8.
func Visible(text, keep string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return IsUnseen(r, keep) }) {
		return text
	}
	var b strings.Builder
	for at, width := 0, 0; at < len(text); at += width {
		var r rune
		switch r, width = utf8.DecodeRuneInString(text[at:]); {
		case !IsUnseen(r, keep):
			b.WriteRune(r)
		case r == utf8.RuneError && width == 1: // a byte that is not UTF-8
			fmt.Fprintf(&b, `\u%04x`, text[at])
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// IsUnseen reports whether a character is invisible or changes the text around it, and is not in keep. A
// byte that is not UTF-8 counts.
func IsUnseen(r rune, keep string) bool {
	return (r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.In(r, unicode.Zl, unicode.Zp)) && !strings.ContainsRune(keep, r)
}

// EscapeJSON escapes the invisible characters of a JSON text, which are all in its strings.
func EscapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !IsUnseen(r, "\n"):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Indentation returns a YAML parser's message about a text, in plain words if a tab indents the line that it names, if a bracket or a
// quote is not closed, or if the text is a template.
func Indentation(message string, text []byte) string {
	const anyToken = "found character that cannot start any token"
	message = strings.NewReplacer(
		"found a tab character that violates indentation", "it has a tab where YAML allows only spaces",
		"did not find expected ',' or ']'", "a list in [ ] is not closed, or lacks a comma",
		"did not find expected ',' or '}'", "a map in { } is not closed, or lacks a comma",
		"found unexpected end of stream", "a text in quotes is not closed",
	).Replace(message)
	number := 1 // the parser leaves it out
	if _, after, found := strings.Cut(message, "line "); found {
		digits, _, _ := strings.Cut(after, ":")
		number, _ = strconv.Atoi(digits)
	}
	lines := strings.Split(string(text), "\n")
	for _, kind := range [...][2]string{{"a list in [ ]", "["}, {"a map in { }", "{"}} { // the parser names the line above that of the bracket
		if strings.Contains(message, kind[0]) && number > 0 && number < len(lines) && !strings.Contains(lines[number-1], kind[1]) && strings.Contains(lines[number], kind[1]) {
			return strings.Replace(message, fmt.Sprintf("line %d:", number), fmt.Sprintf("line %d:", number+1), 1)
		}
	}
	if number < 1 || number > len(lines) || !strings.HasPrefix(strings.TrimLeft(lines[number-1], " "), "\t") {
		if strings.HasPrefix(message, "yaml: ") && strings.Contains(string(text), "{{") {
			return templateFault(message, lines)
		}
		return message
	}
	before, _, found := strings.Cut(message, anyToken)
	if !found {
		return message
	}
	before = strings.TrimSuffix(strings.TrimSuffix(before, fmt.Sprintf("line %d: ", number)), "yaml: ")
	return fmt.Sprintf("%sline %d: it is indented with a tab; YAML allows only spaces", before, number)
}

// templateFault returns a YAML parser's message about a template: first the cause, behind the line. That is the
// first one that begins with an action, since the parser names the one where a map or list begins, else the parser's.
func templateFault(message string, lines []string) string {
	message = strings.TrimPrefix(message, "yaml: ")
	place := ""
	if before, after, found := strings.Cut(message, ": "); found && strings.HasPrefix(before, "line ") {
		place, message = before+": ", after
	}
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " -"), "{{") }); i >= 0 {
		place = fmt.Sprintf("line %d: ", i+1)
	}
	return place + "it is a template, which is no YAML before {{ }} is rendered (" + message + ")"
}

// Nearest returns the candidate that a mistyped word most likely means, "" if none is near: at most a
// third of its letters are wrong, missing, added or swapped with the next.
func Nearest(word string, candidates []string) string {
	nearest, least := "", 0
	for _, c := range candidates {
		d := editDistance(strings.ToLower(word), strings.ToLower(c))
		if limit := max(1, min(len(word), len(c))/3); d <= limit && c != word && (nearest == "" || d < least) {
			nearest, least = c, d
		}
	}
	return nearest
}

// DidYouMean returns the question after a message about a mistyped word, "" if no candidate is near.
func DidYouMean(word string, candidates []string) string {
	if nearest := Nearest(word, candidates); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// Allowed returns the end of a message about a word that is none of some: all of them, and the one that is most likely meant.
func Allowed(word string, allowed []string) string {
	return "allowed are " + strings.Join(allowed, ", ") + DidYouMean(word, allowed)
}

// editDistance counts the letters to replace, add, remove or swap with the next one to make a from b.
func editDistance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replace := row[j]
			if a[i] != b[j] {
				replace++
			}
			next[j+1] = min(replace, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// MarkdownCode formats a text as Markdown code, also within a table, so that it is neither markup nor a
// mention of somebody.
func MarkdownCode(text string) string {
	if text != "" && !strings.ContainsAny(text, "`|<>&\\\n") && strings.TrimSpace(text) == text {
		return "`" + text + "`"
	}
	return "<code>" + Entities(text) + "</code>"
}

// Entities escapes characters that HTML or Markdown may read as markup.
func Entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || strings.ContainsRune("&<>\"'`|*_[]()\\~#!@:$^", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// MarkdownText escapes a sentence that contains texts of packages.
func MarkdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@' || r == '#': // a name that is cut in two mentions nobody
			fmt.Fprintf(&b, "&#%d;<!-- -->", r)
		case strings.ContainsRune("&<>`|*_[]\\~!$^", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	// GitHub makes links of texts that look like an address, even in the midst of words.
	return strings.NewReplacer("://", "&#58;//", "www.", "www&#46;").Replace(b.String())
}
