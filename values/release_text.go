package values

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"
)

// placeOf returns the place of a column, counted in characters from 1, of a line, counted from 1.
func placeOf(data []byte, line, column int) int {
	at := 0
	for ; line > 1 && at < len(data); line-- {
		at += len(lineAt(data, at))
	}
	for ; column > 1 && at < len(data); column-- {
		at++
		for at < len(data) && data[at]&0xC0 == 0x80 { // within a character
			at++
		}
	}
	return at
}

// lineAt returns the text from a place to the end of its line.
func lineAt(data []byte, at int) []byte {
	if end := bytes.IndexByte(data[at:], '\n'); end >= 0 {
		return data[at : at+end+1]
	}
	return data[at:]
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// cut takes the lines from the start of the part that are indented as it is, without the indentation. Empty lines and comments with a
// smaller indentation belong to it if such lines follow. Aliases at places have their values.
func (p *part) cut(data []byte, indent int, places []aliasPlace) {
	p.indent, p.outdented = strings.Repeat(" ", indent), map[string]string{}
	var text []byte
	p.end = p.start
	for from := p.start; from < len(data); {
		line := lineAt(data, from)
		trimmed := bytes.TrimSpace(line)
		isOuter := from > p.start && indentOf(line) < indent
		if isOuter && len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
		from += len(line)
		switch {
		case from == p.start+len(line):
			text = append(text, withValues(data, from-len(line), from, places)...)
		case isOuter && len(trimmed) == 0:
			text = append(text, bytes.TrimLeft(line, " ")...)
			p.outdented[string(bytes.TrimLeft(line, " "))] = string(line)
		case isOuter:
			text = append(text, bytes.TrimLeft(line, " ")...)
			p.outdented[string(bytes.TrimLeft(line, " "))] = string(line)
		default:
			text = append(text, withValues(data, from-len(line)+indent, from, places)...)
		}
		if !isOuter && len(trimmed) > 0 || from == p.start+len(line) {
			p.end, p.text = from, slices.Clone(text)
		}
	}
}

// withoutActions returns a text with other characters in place of {{ }}: a comment for a line of nothing but actions, else a word of the same
// length; and the places of the actions.
func withoutActions(data []byte) (text []byte, actions [][]int) {
	if actions = action().FindAllIndex(data, -1); actions == nil {
		return data, nil
	}
	const masked = 0
	text = slices.Clone(data)
	for _, at := range actions {
		for i := at[0]; i < at[1]; i++ {
			if text[i] != '\n' {
				text[i] = masked
			}
		}
	}
	for from := 0; from < len(text); from += len(lineAt(text, from)) {
		line := lineAt(text, from)
		if at := bytes.IndexByte(line, masked); at >= 0 && len(bytes.Trim(line, " \t\r\n\x00")) == 0 {
			line[at] = '#'
		}
	}
	return bytes.ReplaceAll(text, []byte{masked}, []byte("x")), actions
}

// action matches an action of a template.
func action() *regexp.Regexp { return regexp.MustCompile(`(?s)\{\{.*?\}\}`) }

// flowLength returns the length of a map in braces.
func flowLength(data []byte) int {
	depth, quote := 0, byte(0)
	for i, c := range data {
		switch {
		case quote == '"' && c == '"' && data[i-1] != '\\', quote == '\'' && c == '\'':
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(data)
}

// aliasPlace is the place of an alias in a file, with the value that a values file has there.
type aliasPlace struct {
	start, end int
	value      string
}

// replaceAliases returns the places below a node of the aliases whose anchors are not below it. Each anchor has a value of its own text,
// which is found again after edits. It notes the nodes below the node.
func (p *part) replaceAliases(data []byte, n *yamlnodes.Node, below map[*yamlnodes.Node]bool) (places []aliasPlace, err error) {
	byAnchor := map[string]string{}
	var walk func(n *yamlnodes.Node) error
	walk = func(n *yamlnodes.Node) error {
		below[n] = true
		if n.Kind == yamlnodes.AliasNode && !below[n.Alias] {
			value, known := byAnchor[n.Value]
			if !known {
				if value, err = flowText(n.Alias); err != nil {
					return err
				}
				value = strings.Replace(value, " ", strings.Repeat(" ", len(byAnchor)+1), 1)
				byAnchor[n.Value], p.outer[value] = value, "*"+n.Value
			}
			start := placeOf(data, n.Line, n.Column)
			places = append(places, aliasPlace{start, start + 1 + len(n.Value), value})
		}
		for _, one := range n.Content {
			if err := walk(one); err != nil {
				return err
			}
		}
		return nil
	}
	err = walk(n)
	return places, err
}

// sharedLines returns the lines of the nodes of a part that aliases elsewhere in the file have.
func (m *manifests) sharedLines(file string, below map[*yamlnodes.Node]bool) map[int]bool {
	lines := map[int]bool{}
	var note, walk func(n *yamlnodes.Node)
	note = func(n *yamlnodes.Node) {
		lines[n.Line] = true
		for _, one := range n.Content {
			note(one)
		}
	}
	walk = func(n *yamlnodes.Node) {
		if below[n] {
			return
		}
		if n.Kind == yamlnodes.AliasNode && below[n.Alias] {
			note(n.Alias)
		}
		for _, one := range n.Content {
			walk(one)
		}
	}
	for _, o := range m.objects {
		if o.file == file {
			walk(o.node)
		}
	}
	return lines
}

// flowText returns a value in one line, with its tag in front.
func flowText(n *yamlnodes.Node) (string, error) {
	if n.Kind == yamlnodes.ScalarNode {
		text, err := json.Marshal(n.Value)
		return n.ShortTag() + " " + string(text), err
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return "", err
	}
	text, err := json.Marshal(value)
	return n.ShortTag() + " " + string(text), err
}

// withValues returns a stretch of a file with values in the places of aliases.
func withValues(data []byte, from, to int, places []aliasPlace) []byte {
	var out []byte
	for _, at := range places {
		if from <= at.start && at.end <= to {
			out = append(append(out, data[from:at.start]...), at.value...)
			from = at.end
		}
	}
	return append(out, data[from:to]...)
}

// in returns the text of the part in its file, given the values file that it is after edits.
func (p *part) in(edited []byte) []byte {
	for value, alias := range p.outer {
		edited = bytes.ReplaceAll(edited, []byte(value), []byte(alias))
	}
	if !bytes.HasSuffix(p.text, []byte("\n")) { // a map in braces that is empty now has a line break
		edited = bytes.TrimSuffix(edited, []byte("\n"))
	}
	var out []byte
	for i, line := range bytes.SplitAfter(edited, []byte("\n")) {
		was, isOut := p.outdented[string(line)]
		switch {
		case isOut:
			out = append(out, was...)
		case i == 0 || len(bytes.TrimSpace(line)) == 0:
			out = append(out, line...)
		default:
			out = append(append(out, p.indent...), line...)
		}
	}
	return out
}
