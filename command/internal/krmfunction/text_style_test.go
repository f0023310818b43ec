package krmfunction

import (
	"strings"

	"pgregory.net/rapid"
)

// textStyle is the style of a resource's text, which does not change its values.
type textStyle struct {
	// outer and inner are the indentations of spec and of the fields below it, dashes
	// is the indentation of elements below their key.
	outer, inner, dashes int
	blank, aligned       bool
	comments, anchors    bool
	quote, space         string
	crlf, open           bool
	json                 *jsonStyle
}

// jsonStyle is a layout of JSON: in one line without a unit.
type jsonStyle struct{ unit, comma, colon string }

func drawStyle(t *rapid.T) textStyle {
	indent := func(name string) int { return rapid.SampledFrom([]int{2, 3, 4, 6}).Draw(t, name) }
	w := textStyle{
		outer: indent("outer"), inner: indent("inner"), dashes: rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "dashes"),
		blank:    rapid.Bool().Draw(t, "blank"),
		aligned:  rapid.Bool().Draw(t, "aligned"),
		comments: rapid.Bool().Draw(t, "comments"),
		anchors:  rapid.Bool().Draw(t, "anchors"),
		quote:    rapid.SampledFrom([]string{"", "'", `"`}).Draw(t, "quote"),
		space:    rapid.SampledFrom([]string{" ", "  ", "     "}).Draw(t, "space"),
		crlf:     rapid.IntRange(0, 3).Draw(t, "crlf") == 0,
		open:     rapid.IntRange(0, 3).Draw(t, "open") == 0,
	}
	return w
}

func drawJSONStyle(t *rapid.T) *jsonStyle {
	styles := []*jsonStyle{{"", ",", ":"}, {"", ", ", ": "}, {" ", ",", ": "}, {"  ", ",", ": "}, {"    ", ",", ": "}, {"\t", ",", ": "}}
	return rapid.SampledFrom(styles).Draw(t, "json")
}

// values are the values in a text; a change changes one of them.
type values map[string]string

// text is a resource in the style w. The inner lines of a value that only upstream has
// are indented as theirs.
func (w textStyle) text(v values, theirs textStyle) string {
	if w.json != nil {
		return w.json.text(v)
	}
	t := &styledText{textStyle: w}
	t.line(0, "apiVersion", "example.com/v1", "")
	t.line(0, "kind", "Widget", "")
	t.b.WriteString("metadata: # kpt-merge: /x\n  name: x\n")
	t.gap()
	t.b.WriteString("spec:\n")
	t.spec(v, theirs)
	t.line(0, "last", "{a: 1,   b: 2}", "end")
	return t.b.String()
}

// styledText is a text that is being written.
type styledText struct {
	textStyle
	b strings.Builder
}

func (t *styledText) gap() {
	if t.blank {
		t.b.WriteString("\n")
	}
}

// line writes a field in a line, with a comment if there are any.
func (t *styledText) line(column int, key, value, note string) {
	colon := ": "
	if t.aligned {
		colon = ":     "
	}
	t.b.WriteString(spaces(column) + key + colon + value)
	if t.comments && note != "" {
		t.b.WriteString(t.space + "# " + note)
	}
	t.b.WriteString("\n")
}

func spaces(n int) string { return strings.Repeat(" ", n) }

func (t *styledText) spec(v values, theirs textStyle) {
	in, deep := t.outer, spaces(t.outer+t.inner)
	if t.comments {
		t.b.WriteString(spaces(in) + "# " + v["head"] + "\n")
	}
	t.line(in, "size", v["size"], v["note"])
	t.line(in, "kept", t.quote+"v"+t.quote, "")
	if v["added"] != "" {
		t.b.WriteString(spaces(in) + "added: " + v["added"] + "\n")
	}
	t.gap()
	t.line(in, "word", v["word"], "ünïcode 😀")
	t.line(in, "args", "[ a,  "+v["arg"]+`, "c" ]`, "flow")
	further := v["further"]
	if further != "" {
		further = ",\n" + deep + further
	}
	t.line(in, "far", "{ one: 1,\n"+deep+"two: [x,\n"+deep+"    "+v["far"]+"]"+further+" }", "flow over lines")
	t.b.WriteString(spaces(in) + "script: |\n" + deep + v["script"] + "\n" + deep + "  end\n")
	t.b.WriteString(spaces(in) + "folded: >-\n" + deep + v["folded"] + "\n" + deep + "of two lines\n")
	t.b.WriteString(spaces(in) + "quoted: \"one\n\n" + deep + "two\"\n" + spaces(in) + "plain: words\n" + deep + "over lines\n")
	t.gap()
	t.anchored(v)
	t.ports(v)
	if v["extra"] != "" {
		t.b.WriteString(spaces(in) + "extra:\n" + spaces(in+theirs.inner) + "deep:\n" + spaces(in+2*theirs.inner) + "- " + v["extra"] + "\n")
	}
}

func (t *styledText) anchored(v values) {
	if t.anchors {
		t.line(t.outer, "base", "&base {k: "+v["base"]+"}", "")
		t.line(t.outer, "again", "*base", "")
		t.line(t.outer, "all", "[*base,  {k: 0}]", "all of them")
		port := "80"
		if v["side"] == "" { // local has its own
			port = "81"
		}
		t.b.WriteString(spaces(t.outer) + "derived:\n")
		t.line(t.outer+t.inner, "!!merge <<", "*base", "derived")
		t.line(t.outer+t.inner, "port", port, "")
		return
	}
	t.line(t.outer, "base", "{k: "+v["base"]+"}", "")
	t.line(t.outer, "again", "{k: "+v["base"]+"}", "")
}

func (t *styledText) ports(v values) {
	t.b.WriteString(spaces(t.outer) + "ports:\n")
	dash := spaces(t.outer + t.dashes)
	for _, port := range strings.Fields(v["ports"]) {
		name, number, _ := strings.Cut(port, "=")
		if t.comments && number != v["uncommented"] {
			t.b.WriteString(dash + "# port " + number + "\n")
		}
		t.b.WriteString(dash + "- name: " + name + "\n" + dash + "  port: " + number + "\n")
	}
}

// text is the resource as JSON.
func (w *jsonStyle) text(v values) string {
	ports := []any{}
	for _, port := range strings.Fields(v["ports"]) {
		name, number, _ := strings.Cut(port, "=")
		ports = append(ports, jsonMap{{"name", `"` + name + `"`}, {"port", number}})
	}
	spec := jsonMap{{"size", v["size"]}, {"kept", `"v"`}}
	if v["added"] != "" {
		spec = append(spec, jsonField{"added", `"` + v["added"] + `"`})
	}
	spec = append(spec, jsonField{"word", `"` + v["word"] + `"`}, jsonField{"args", []any{`"a"`, `"` + v["arg"] + `"`}},
		jsonField{"empty", "{}"}, jsonField{"script", `"` + v["script"] + `\nend"`}, jsonField{"ports", ports})
	if v["extra"] != "" {
		spec = append(spec, jsonField{"extra", jsonMap{{"deep", []any{`"` + v["extra"] + `"`}}}})
	}
	metadata := jsonMap{{"name", `"x"`}}
	if v["side"] != "" {
		metadata = append(metadata, jsonField{"annotations", jsonMap{{"config.kubernetes.io/merge-source", `"` + v["side"] + `"`}}})
	}
	return w.value(jsonMap{{"apiVersion", `"example.com/v1"`}, {"kind", `"Widget"`}, {"metadata", metadata}, {"spec", spec}}, "")
}

// jsonMap is an object with its order, and jsonField a field of it.
type (
	jsonMap   []jsonField
	jsonField struct {
		key   string
		value any
	}
)

func (w *jsonStyle) value(v any, margin string) string {
	var items []string
	inner := margin + w.unit
	switch v := v.(type) {
	case string:
		return v
	case jsonMap:
		for _, f := range v {
			items = append(items, `"`+f.key+`"`+w.colon+w.value(f.value, inner))
		}
		return w.brackets("{", items, "}", margin)
	case []any:
		for _, e := range v {
			items = append(items, w.value(e, inner))
		}
	}
	return w.brackets("[", items, "]", margin)
}

func (w *jsonStyle) brackets(left string, items []string, right, margin string) string {
	if w.unit == "" {
		return left + strings.Join(items, w.comma) + right
	}
	inner := "\n" + margin + w.unit
	return left + inner + strings.Join(items, ","+inner) + "\n" + margin + right
}
