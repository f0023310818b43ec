package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// apply edits a document's text as somebody with an editor would: the other
// lines stay as they are. It reports whether it could, which it cannot where the
// text is laid out in an unusual way.
func (e edit) apply(text string) (string, bool) {
	path := e.Set + e.Append + e.Remove + e.Replace + e.Comment
	done := false
	for i := 0; ; i++ {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) == 0 {
			return text, done
		}
		found := spots(doc.Content[0], path)
		if i >= len(found) {
			return text, done
		}
		if edited, ok := e.splice(text, found[i]); ok {
			text, done = edited, true
		}
		if e.Remove != "" || !strings.Contains(path, "[*]") {
			return text, done
		}
	}
}

// splice edits one spot. What came out must read as a document that differs,
// but for a comment.
func (e edit) splice(text string, s spot) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	var ok bool
	switch {
	case e.Set != "":
		lines, ok = set(lines, s, e.To)
	case e.Append != "":
		lines, ok = add(lines, s, e.To)
	case e.Remove != "":
		lines, ok = remove(lines, s)
	case e.Replace != "":
		lines, ok = e.substitute(lines, s)
	case e.Comment != "":
		lines, ok = remark(lines, s, e.Text)
	}
	edited := strings.Join(lines, "")
	before, err := decode(text)
	after, errAfter := decode(edited)
	ok = ok && err == nil && errAfter == nil && same(before, after) == (e.Comment != "")
	return edited, ok
}

// set gives a scalar that is there another text, or adds the field.
func set(lines []string, s spot, to yaml.Node) ([]string, bool) {
	switch {
	case len(s.missing) > 0:
		return addField(lines, s, to)
	case s.value.Kind != yaml.ScalarNode || to.Kind != yaml.ScalarNode:
		return lines, false
	}
	return retype(lines, s.value, strings.TrimSpace(encode(&to)))
}

// retype puts text where a scalar of one line stands.
func retype(lines []string, n *yaml.Node, text string) ([]string, bool) {
	line := lines[n.Line-1]
	for _, token := range []string{n.Value, `"` + n.Value + `"`, `'` + n.Value + `'`} {
		if rest, found := strings.CutPrefix(line[n.Column-1:], token); found && n.Value != "" {
			lines[n.Line-1] = line[:n.Column-1] + text + rest
			return lines, true
		}
	}
	return lines, false
}

// addField adds a field, and the maps that lead to it, at the end of its map.
func addField(lines []string, s spot, to yaml.Node) ([]string, bool) {
	v := &to
	for _, name := range slices.Backward(s.missing) {
		v = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: name}, v}}
	}
	return insert(lines, s.parent, encode(v))
}

// add puts an element at the end of a list, or adds the list.
func add(lines []string, s spot, to yaml.Node) ([]string, bool) {
	list := yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{&to}}
	switch {
	case len(s.missing) > 0:
		return addField(lines, s, list)
	case s.value.Kind != yaml.SequenceNode:
		return lines, false
	}
	return insert(lines, s.value, encode(&list))
}

// insert puts text behind the last line of a block collection.
func insert(lines []string, n *yaml.Node, text string) ([]string, bool) {
	if n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return lines, false
	}
	last := lastLine(n)
	if last > len(lines) || last == len(lines) && lines[last-1] == "" {
		return lines, false
	}
	if !strings.HasSuffix(lines[last-1], "\n") {
		lines[last-1] += "\n"
	}
	indent := strings.Repeat(" ", n.Column-1)
	var added []string
	for line := range strings.Lines(text) {
		added = append(added, indent+line)
	}
	return slices.Insert(lines, last, added...), true
}

// remove takes out the lines of a field or element that is not the only one.
func remove(lines []string, s spot) ([]string, bool) {
	if s.value == nil || s.parent == nil || s.parent.Style&yaml.FlowStyle != 0 || len(s.parent.Content) <= 2 && s.key != nil || len(s.parent.Content) == 1 {
		return lines, false
	}
	first := s.value.Line
	if s.key != nil {
		first = s.key.Line
	}
	last := min(lastLine(s.value), len(lines))
	return slices.Delete(lines, first-1, last), true
}

// substitute replaces a part of a scalar of one line, or of a line of a text.
func (e edit) substitute(lines []string, s spot) ([]string, bool) {
	if s.value == nil || s.value.Kind != yaml.ScalarNode {
		return lines, false
	}
	old := regexp.MustCompile(e.Old)
	if s.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		text := old.ReplaceAllString(s.value.Value, e.New)
		return retype(lines, s.value, strings.TrimSpace(encode(&yaml.Node{Kind: yaml.ScalarNode, Tag: s.value.Tag, Value: text})))
	}
	for i := s.value.Line; i < min(lastLine(s.value), len(lines)); i++ {
		if content := strings.TrimRight(lines[i], "\n"); e.Line == 0 || s.value.Line+e.Line-1 == i {
			lines[i] = old.ReplaceAllString(content, e.New) + lines[i][len(content):]
		}
	}
	return lines, true
}

// remark writes a comment above a field that begins its line.
func remark(lines []string, s spot, text string) ([]string, bool) {
	if s.key == nil || strings.TrimSpace(lines[s.key.Line-1][:s.key.Column-1]) != "" {
		return lines, false
	}
	line := lines[s.key.Line-1][:s.key.Column-1] + "# " + text + "\n"
	return slices.Insert(lines, s.key.Line-1, line), true
}

// encode writes a value with an indentation of two.
func encode(n *yaml.Node) string {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return ""
	}
	return b.String()
}
