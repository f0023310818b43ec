package apply

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// HideSecrets returns a function that returns the text of objects for people, without the values of Secrets. Each is
// "(hidden)"; called for another version of the same objects, another value is "(hidden, changed)". A Secret in JSON or in
// flow style is hidden whole, and so is a text that has Secrets and cannot be read.
func HideSecrets() func(text []byte) []byte {
	h := hider{values: map[string]string{}}
	return h.text
}

// hider hides the values of Secrets. values has the first value of each by its object and key.
type hider struct{ values map[string]string }

func (h *hider) text(text []byte) []byte {
	if !bytes.Contains(text, []byte("Secret")) {
		return text
	}
	var documents []*yaml.Node
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := yamlnode.Decode(d, &document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return []byte("(hidden: it has Secrets, and cannot be read)\n")
		}
		documents = append(documents, document.Content...)
	}
	lines := hiddenLines{lines: strings.SplitAfter(string(text), "\n")}
	for i := len(documents) - 1; i >= 0; i-- { // from below, so that the lines above keep their numbers
		end := len(lines.lines)
		if i+1 < len(documents) {
			end = documents[i+1].Line - 1
		}
		h.object(&lines, documents[i], end)
	}
	return []byte(strings.Join(lines.lines, ""))
}

// object hides the values of an object, or of the items of a List, whose lines end at a line.
func (h *hider) object(lines *hiddenLines, n *yaml.Node, end int) {
	if yamlnode.Text(yamlnode.Field(n, "kind")) != "Secret" {
		items := yamlnode.Elements(yamlnode.Field(n, "items"))
		for i := len(items) - 1; i >= 0; i-- {
			last := endOf(n, "items", end)
			if i+1 < len(items) {
				last = items[i+1].Line - 1
			}
			h.object(lines, items[i], last)
		}
		return
	}
	name := yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace")) + "/" + yamlnode.Text(yamlnode.Lookup(n, "metadata", "name"))
	if n.Style&yaml.FlowStyle != 0 {
		lines.replace(n.Line, n.Column, end, strings.Repeat(" ", n.Column-1)+h.mark(name, n))
		return
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		key, v := n.Content[i], n.Content[i+1]
		last := endOf(n, key.Value, end)
		switch key.Value {
		case "data", "stringData":
			h.entries(lines, name, key, v, last, func(string) bool { return true })
		case "metadata":
			if annotations, of := yamlnode.Entry(v, "annotations"); of != nil && yamlnode.Field(of, lastapplied.Annotation) != nil {
				h.entries(lines, name, annotations, of, endOf(v, "annotations", last), func(name string) bool { return name == lastapplied.Annotation })
			}
		}
	}
}

// entries hides the values of the chosen entries of a map, or the map if it is in flow style.
func (h *hider) entries(lines *hiddenLines, name string, key, v *yaml.Node, end int, isChosen func(name string) bool) {
	if v.Kind != yaml.MappingNode || v.Style&yaml.FlowStyle != 0 || len(v.Content) == 0 || v.Line <= key.Line {
		lines.replace(key.Line, key.Column, end, lines.before(key)+key.Value+": "+h.mark(name+"/"+key.Value, v))
		return
	}
	for i := len(v.Content) - 2; i >= 0; i -= 2 {
		if entry := v.Content[i]; isChosen(entry.Value) {
			lines.replace(entry.Line, entry.Column, endOf(v, entry.Value, end), lines.before(entry)+entry.Value+": "+h.mark(name+"/"+entry.Value, v.Content[i+1]))
		}
	}
}

// mark returns the text that stands for a value.
func (h *hider) mark(name string, v *yaml.Node) string {
	text, err := yaml.Marshal(v)
	was, known := h.values[name]
	switch {
	case err == nil && !known:
		h.values[name] = string(text)
	case err != nil || was != string(text):
		return "(hidden, changed)"
	}
	return "(hidden)"
}

// endOf returns the last line of a field of a map that ends at a line.
func endOf(n *yaml.Node, name string, end int) int {
	for i := 0; i+2 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+2].Line - 1
		}
	}
	return end
}

// hiddenLines are the lines of a text with some replaced.
type hiddenLines struct{ lines []string }

// before returns the text in front of a key in its line: its indentation, and the dash of an item.
func (l *hiddenLines) before(key *yaml.Node) string {
	return l.lines[key.Line-1][:min(key.Column-1, len(l.lines[key.Line-1]))]
}

// replace replaces the lines of a value that begins at a column, from one to another, but for what is behind the value:
// empty lines, and comments and ends of documents that are not indented more.
func (l *hiddenLines) replace(from, column, to int, with string) {
	for to = min(max(from, to), len(l.lines)); to > from; to-- {
		line := l.lines[to-1]
		text := strings.TrimSpace(line)
		isBehind := len(line)-len(strings.TrimLeft(line, " ")) < column && (strings.HasPrefix(text, "#") || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "..."))
		if text != "" && !isBehind {
			break
		}
	}
	l.lines = append(append(l.lines[:from-1:from-1], with+"\n"), l.lines[to:]...)
}
