package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// model is the content of a resource: a place of it with its comments, without
// any layout.
type model struct {
	id               int
	key              string
	kind             yaml.Kind
	text             string // of a scalar
	tag              string
	kids             []*model
	head, line, foot string
}

// drawing draws models and texts.
type drawing struct {
	*rapid.T
	ids int
	// json draws no comments. kyaml makes local KYAML: without comments if plain, else without comments below
	// collections.
	json, kyaml, plain bool
}

func (d *drawing) n(limit int) int { return rapid.IntRange(0, limit-1).Draw(d.T, "n") }

func (d *drawing) one(of ...string) string { return of[d.n(len(of))] }

// comment draws a comment of some lines, or none.
func (d *drawing) comment(lines int) string {
	if d.json || d.plain || d.n(5) != 0 {
		return ""
	}
	text := fmt.Sprintf("# c%d", d.n(100))
	for range d.n(lines) {
		text += d.one("\n#", "\n#  - é: x", "\n\n# ü")
	}
	return text + d.one("", " #", " it's  so", ": {", "x")
}

// resource draws a map that is not empty.
func (d *drawing) resource() *model {
	m := &model{kind: yaml.MappingNode}
	d.fill(m, 3)
	m.head = ""
	return m
}

// fill gives a collection fields or elements.
func (d *drawing) fill(m *model, depth int) {
	for i := range 1 + d.n(4) {
		child := d.child(m, depth)
		if m.kind == yaml.MappingNode {
			child.key = fmt.Sprintf("%s%d", d.one("k", "a.b/c", "key with space ", "é"), i)
		}
		m.kids = append(m.kids, child)
	}
	if m.foot = d.comment(2); d.kyaml {
		m.foot = ""
	}
}

// child draws a value for m.
func (d *drawing) child(m *model, depth int) *model {
	d.ids++
	child := &model{id: d.ids, head: d.comment(3), line: d.comment(1)}
	switch kind := d.n(6); {
	case depth > 0 && kind < 2:
		child.kind = yaml.MappingNode
		d.fill(child, depth-1)
	case depth > 0 && kind == 2:
		child.kind = yaml.SequenceNode
		d.fill(child, depth-1)
	case kind == 3 && d.n(3) == 0:
		child.kind = []yaml.Kind{yaml.MappingNode, yaml.SequenceNode}[d.n(2)]
	default:
		child.kind = yaml.ScalarNode
		d.scalar(child)
	}
	if m.kind == yaml.SequenceNode && len(child.kids) > 0 {
		child.line = "" // for the line of the dash see the tables
	}
	return child
}

// scalar draws the tag and the text of a scalar.
func (d *drawing) scalar(m *model) {
	m.tag = "!!str"
	switch d.n(8) {
	case 0:
		m.tag, m.text = "!!int", fmt.Sprint(d.n(1000))
	case 1:
		m.tag, m.text = "!!bool", d.one("true", "false")
	case 2:
		m.tag = "!!null"
	case 3:
		m.text = d.one("one\ntwo\n", "one\n\n two # no\nthree", "é\n- a\n\n", " x\ny\n", "a: b\n# c\n", "\n\nz\n", "a \nb\n")
	case 4:
		m.text = d.one("", "80", "on", "null", "it's", "a \"b\"", "- x", "x: y", "x #y", "é ü", "{a}", "a,b", " s ", "*x", "\\", "a\tb", "&", "<<")
	default:
		m.text = d.one("word", "two words", "some more words here", "image:1.2", "http://x/y?z", "a#b") + d.one("", "1", "2", "3")
	}
}

// clone copies a model.
func (m *model) clone() *model {
	c := *m
	c.kids = nil
	for _, k := range m.kids {
		c.kids = append(c.kids, k.clone())
	}
	return &c
}

// each visits m and all models below it.
func (m *model) each(visit func(*model)) {
	visit(m)
	for _, k := range m.kids {
		k.each(visit)
	}
}

// isRemarked reports whether there are comments in m.
func (m *model) isRemarked() bool {
	found := m.foot != ""
	for _, k := range m.kids {
		found = found || k.head+k.line != "" || k.isRemarked()
	}
	return found
}

// at maps the nodes of a tree that m was parsed to by the ids of m.
func (m *model) at(n *yaml.Node, entries map[int]Entry, index int, key *yaml.Node) {
	entries[m.id] = Entry{Key: key, Value: n, At: index}
	for i, k := range m.kids {
		if n.Kind == yaml.MappingNode {
			k.at(n.Content[2*i+1], entries, i, n.Content[2*i])
		} else {
			k.at(n.Content[i], entries, i, nil)
		}
	}
}

// spaces returns an indentation of n columns.
func spaces(n int) string { return strings.Repeat(" ", n) }
