package manifest

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// writer writes a model down in a drawn style.
type writer struct {
	*drawing
	b strings.Builder
	// tidy writes one style throughout: two columns, no empty lines.
	tidy bool
	// shared is 1 for a list in the column of its parent map, else 0.
	shared int
}

func (w *writer) style(limit int) int {
	if w.tidy {
		return 0
	}
	return w.n(limit)
}

// own writes a comment in lines of its own.
func (w *writer) own(comment string, column int) {
	if comment == "" {
		return
	}
	for _, line := range strings.Split(comment, "\n") {
		if line != "" {
			line = spaces(column) + line
		}
		w.b.WriteString(line + "\n")
	}
}

// entries writes a block collection. If inline, the indentation of the first entry is already written.
func (w *writer) entries(m *model, column int, inline bool) {
	foot := column + w.shared
	w.shared = 0
	for i, k := range m.kids {
		if !inline || i > 0 {
			if i > 0 && w.style(6) == 1 && !strings.HasSuffix(w.b.String(), "\n\n") {
				w.b.WriteString("\n")
			}
			w.own(k.head, column)
			w.b.WriteString(spaces(column))
		} else {
			k.head = ""
		}
		if m.kind == yaml.MappingNode {
			w.b.WriteString(w.key(k.key) + ":")
		} else {
			w.b.WriteString("-")
		}
		w.value(m, k, column)
	}
	w.own(m.foot, foot)
}

func (w *writer) key(text string) string {
	if w.style(8) == 1 {
		return `"` + text + `"`
	}
	return text
}

// value writes the value behind a colon or a dash.
func (w *writer) value(in, k *model, column int) {
	switch {
	case k.kind == yaml.ScalarNode:
		w.scalar(k, column)
	case len(k.kids) == 0:
		w.b.WriteString(" " + map[yaml.Kind]string{yaml.MappingNode: "{}", yaml.SequenceNode: "[]"}[k.kind])
		w.lineComment(k)
	case !k.isRemarked() && w.style(3) == 1:
		w.b.WriteString(spaces(1 + w.style(3)))
		w.flow(k, column, w.n(3) == 0)
		w.lineComment(k)
	case in.kind == yaml.SequenceNode && k.line == "" && k.kids[0].head == "" && w.style(8) != 1:
		width := 1 + w.style(4)
		w.b.WriteString(spaces(width))
		w.entries(k, column+1+width, true)
	default:
		w.lineComment(k)
		inner := column + 2
		if !w.tidy {
			inner = column + 1 + w.n(5)
		}
		if k.kind == yaml.SequenceNode && in.kind == yaml.MappingNode && w.n(2) == 0 {
			inner = column
			w.shared = 1
			if last := k.kids[len(k.kids)-1]; len(last.kids) > 0 || strings.Contains(last.text, "\n") {
				k.foot = "" // the comment would be read as part of the element
			}
		}
		w.entries(k, inner, false)
	}
}

func (w *writer) lineComment(k *model) {
	if k.line != "" {
		w.b.WriteString(spaces(1+w.style(4)) + k.line)
	}
	w.b.WriteString("\n")
}

// flow writes a flow collection, in lines of its own if open.
func (w *writer) flow(k *model, column int, open bool) {
	left, right := "{", "}"
	if k.kind == yaml.SequenceNode {
		left, right = "[", "]"
	}
	sep := spaces(w.style(2))
	if open {
		sep = "\n" + spaces(column+2)
	}
	w.b.WriteString(left + sep)
	for i, c := range k.kids {
		if i > 0 {
			w.b.WriteString(spaces(w.style(2)) + "," + sep)
			if !open && sep == "" {
				w.b.WriteString(" ")
			}
		}
		if c.key != "" {
			w.b.WriteString(w.key(c.key) + ":" + spaces(1+w.style(2)))
		}
		switch {
		case c.kind == yaml.ScalarNode:
			w.b.WriteString(w.inFlow(c))
		case len(c.kids) == 0:
			w.b.WriteString(map[yaml.Kind]string{yaml.MappingNode: "{}", yaml.SequenceNode: "[]"}[c.kind])
		default:
			w.flow(c, column+2, false)
		}
	}
	if open {
		sep = "\n" + spaces(column+1)
	}
	w.b.WriteString(sep + right)
}

func (w *writer) inFlow(k *model) string {
	if k.tag == "!!str" {
		text, _ := json.Marshal(k.text)
		if w.style(2) == 1 && plainWord(k.text) {
			return k.text
		}
		return string(text)
	}
	if k.tag == "!!null" {
		return "null"
	}
	return k.text
}

// plainWord reports whether a text can be a plain scalar anywhere.
func plainWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == "" && !yamlnode.IsBooleanWord(text) && text != "null" && text != "true" && text != "false"
}

// scalar writes a scalar and its line comment.
func (w *writer) scalar(k *model, column int) {
	if k.tag == "!!null" {
		null := w.one("", " ~", " null")
		if w.kyaml { // KYAML's encoder writes no comment there
			null = " null"
		}
		w.b.WriteString(null)
		w.lineComment(k)
		return
	}
	gap := spaces(1 + w.style(4))
	if k.tag != "!!str" {
		w.b.WriteString(gap + w.one("", k.tag+" ") + k.text)
		w.lineComment(k)
		return
	}
	if strings.Contains(k.text, "\n") && w.n(4) > 0 && !strings.Contains(k.text, "\t") {
		w.block(k, gap, column)
		return
	}
	quoted, _ := json.Marshal(k.text)
	switch {
	case strings.Trim(k.text, "abcdefghijklmnopqrstuvwxyz 0123456789") == "" && strings.Contains(k.text, " ") && strings.TrimSpace(k.text) == k.text:
		at := strings.Replace(k.text, " ", w.one(" ", " ", "\n"+spaces(column+1+w.style(4))), 1)
		quote := w.one("", "'", `"`)
		w.b.WriteString(gap + quote + at + quote)
	case plainWord(k.text):
		quote := w.one("", "'", `"`)
		w.b.WriteString(gap + quote + k.text + quote)
	case !strings.ContainsAny(k.text, "\n\\\t") && w.n(2) == 0:
		w.b.WriteString(gap + "'" + strings.ReplaceAll(k.text, "'", "''") + "'")
	default:
		w.b.WriteString(gap + string(quoted))
	}
	w.lineComment(k)
}

// block writes a literal block.
func (w *writer) block(k *model, gap string, column int) {
	inner := 1 + w.style(5)
	head := "|"
	if strings.HasPrefix(strings.TrimLeft(k.text, "\n"), " ") || w.n(6) == 0 {
		head += string(rune('0' + inner))
	}
	switch {
	case !strings.HasSuffix(k.text, "\n"):
		head += "-"
	case strings.HasSuffix(k.text, "\n\n"):
		head += "+"
	}
	w.b.WriteString(gap + head)
	w.lineComment(k)
	for _, line := range strings.Split(strings.TrimSuffix(k.text, "\n"), "\n") {
		if line != "" {
			line = spaces(column+inner) + line
		}
		w.b.WriteString(line + "\n")
	}
}
