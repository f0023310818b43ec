package manifest

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// write writes m as a document, or as an item with a dash, and reads the text.
func (d *drawing) write(m *model, item, tidy bool) *Text {
	if d.kyaml {
		return d.writeKYAML(m)
	}
	w := &writer{drawing: d, tidy: tidy}
	read := Document
	if item {
		read = Item
	}
	switch {
	case d.json:
		column := 0
		if item {
			column = 2 + 2*d.n(2)
			w.b.WriteString(spaces(column-2) + "- ")
		}
		w.asJSON(m, column, d.n(3))
		w.b.WriteString("\n")
	case item:
		column := 2 * d.n(3)
		w.own(m.head, column)
		w.b.WriteString(spaces(column) + "-" + spaces(1+w.style(3)))
		text := w.b.String()
		w.entries(m, len(text)-strings.LastIndex(text, "\n")-1, true)
	default:
		m.head = ""
		w.b.WriteString(d.one("", "---\n", "%YAML 1.1\n---\n", "\n"))
		w.entries(m, 0, false)
	}
	text := w.b.String()
	if d.n(8) == 0 && !strings.HasSuffix(text, "\n\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	t, err := read([]byte(text))
	if err != nil {
		d.Fatalf("%v\n%s", err, text)
	}
	if len(t.top.entries) == 0 {
		d.Fatalf("not understood:\n%s", text)
	}
	return t
}

// TestLawReadKYAML: a text written by the encoder of KYAML reads as its model, comments included.
func TestLawReadKYAML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{T: t, kyaml: true}
		m := d.resource()
		text := d.writeKYAML(m)
		if !text.kyaml {
			t.Skip("most texts are no texts of YAML")
		}
		c := &comparison{T: t, text: text}
		c.same(m, nil, text.root)
		c.tiles(text.top)
	})
}

// TestLawRead: a text reads as the model that was written: each comment belongs to the node with its indentation, and
// the places of a collection follow each other.
func TestLawRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{T: t}
		m := d.resource()
		text := d.write(m, d.n(2) == 0, false)
		c := &comparison{T: t, text: text}
		c.same(m, nil, text.root)
		c.tiles(text.top)
	})
}

type comparison struct {
	*rapid.T
	text *Text
}

func (c *comparison) same(m *model, key, n *yaml.Node) {
	p := Part{Key: key, Value: n}
	if got := [3]string{headOf(p.Key, p.Value), lineOf(p.Key, p.Value), footOf(p.Key, p.Value)}; got != [3]string{m.head, m.line, m.foot} {
		c.Fatalf("%q: comments %q, want %q\n%s", m.key, got, [3]string{m.head, m.line, m.foot}, c.text.bytes)
	}
	for i, k := range m.kids {
		if n.Kind == yaml.MappingNode {
			c.same(k, n.Content[2*i], n.Content[2*i+1])
		} else {
			c.same(k, nil, n.Content[i])
		}
	}
}

// TestPropertiesBelow: a value may be below its anchor or tag, and these below their key, with comments between.
func TestPropertiesBelow(t *testing.T) {
	for _, text := range []string{"a:\n  # c\n  &x\n  b\n", "a:\n  # c\n  !!str\n  b\nc: d\n", "a:\n  # c\n  &x\nb: c\n", "a:\n  &x\n  b: c\n"} {
		var want yaml.Node
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := Document([]byte(text)); err != nil || !sameValue(want.Content[0], got.Root()) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// tiles checks that the entries of block collections follow each other without
// anything between them, and that each reads the same if it stands alone.
func (c *comparison) tiles(p *place) {
	for i := range p.entries {
		e := &p.entries[i]
		if p.form == block && i > 0 && e.float != p.entries[i-1].end {
			c.Fatalf("%d to %d: not in a row\n%s", p.entries[i-1].end, e.float, c.text.bytes)
		}
		if !(e.float <= max(e.lead, e.float) && e.start < e.end) {
			c.Fatalf("%+v\n%s", e, c.text.bytes)
		}
		if e.value.form == token || e.value.form == flow {
			var n yaml.Node
			text := append([]byte("   "), c.text.bytes[e.value.start:e.value.end]...)
			if err := yaml.Unmarshal(text, &n); err != nil || !sameValue(n.Content[0], e.value.node) {
				c.Fatalf("%q: %v", text, err)
			}
		}
		c.tiles(e.value)
	}
	if p.form == block && len(p.entries) > 0 && p != c.text.top && p.end < p.entries[len(p.entries)-1].end {
		c.Fatalf("ends too early\n%s", c.text.bytes)
	}
}
