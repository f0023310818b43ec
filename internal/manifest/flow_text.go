package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Flow reads the text of one element of a list in brackets, such as JSON: from the element's opening bracket to its
// closing one. margin is the white space at the beginning of the line of the opening bracket. It is an error if text
// is not YAML, or not one mapping in brackets.
func Flow(text []byte, margin string) (*Text, error) {
	if len(text) == 0 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, errors.New("not a mapping in brackets")
	}
	t, err := Document(text)
	if err != nil {
		return nil, err
	}
	t.inList, t.margin = true, margin
	t.json = t.json || json.Valid(text)
	return t, nil
}

// Span is a range of bytes in a text: the index of the first byte, and the index behind the last.
type Span [2]int

// Elements returns the span of the list in brackets that is a field of t, brackets included, and the spans of its
// elements. ok is false if there is no such list.
func (t *Text) Elements(field string) (list Span, elements []Span, ok bool) {
	if len(t.top.entries) == 0 {
		return list, nil, false
	}
	root := t.top.entries[0].value
	at := slices.IndexFunc(root.entries, func(e entry) bool { return e.isNamed(field) })
	if at < 0 {
		return list, nil, false
	}
	v := root.entries[at].value
	for _, e := range v.entries {
		elements = append(elements, Span{e.value.start, e.value.end})
	}
	return Span{v.start, v.end}, elements, v.form == flow && !v.isMarked() && !v.odd && v.node.Kind == yaml.SequenceNode
}

// InBrackets writes a mapping as an element of a list in brackets in the form of t or its list: as JSON if t is JSON.
// margin is the white space at the beginning of its line. It is an error if n has parts that flow style cannot hold:
// anchors, and comments unless they are dropped for JSON.
func (t *Text) InBrackets(n *yaml.Node, margin string) ([]byte, error) {
	w := t.flowWriter()
	if w.value(n, margin); w.failed {
		return nil, errNoText
	}
	return w.out, nil
}

// Likewise writes a resource as a document in the form of t: as KYAML if t is KYAML, else in lines. It is an error if
// that form does not hold the resource.
func (t *Text) Likewise(n *yaml.Node) (out []byte, err error) {
	switch {
	case t.kyaml:
		if out, err = t.InBrackets(n, ""); err == nil {
			out = append(out, '\n')
		}
	case t.inBrackets():
		return nil, errNoText
	default:
		out, err = encodePart(inLines(n), layoutOf(t))
	}
	if got, fault := Document(out); err != nil || fault != nil || !sameValue(n, got.root) {
		return nil, errNoText
	}
	return out, nil
}

// flowWriter returns a writer with the form of the brackets of t.
func (t *Text) flowWriter() flowWriter {
	w := flowWriter{json: t.json, kyaml: t.kyaml, trailing: t.kyaml, comma: ", ", colon: ": "}
	if t.kyaml || t.json {
		w.unit = t.Unit()
	}
	if t.json && !bytes.Contains(t.bytes, []byte(`": `)) {
		w.comma, w.colon = ",", ":"
	}
	return w
}

// Unit returns the indentation unit of a resource in brackets over lines, in spaces or tabs; "" if the first field is in
// the line of the bracket.
func (t *Text) Unit() string {
	if len(t.top.entries) == 0 || len(t.top.entries[0].value.entries) == 0 {
		return ""
	}
	root := t.top.entries[0].value
	margin, own := t.marginAt(root.entries[0].start)
	if !own {
		return ""
	}
	outer, own := t.marginAt(root.end - 1)
	if !own {
		outer = t.outer()
	}
	return deeper(margin, outer)
}

// marginAt returns the text in front of a position in its line, and whether that is white space.
func (t *Text) marginAt(at int) (margin string, own bool) {
	margin = string(t.bytes[lineStart(t.bytes, at):at])
	return margin, strings.TrimSpace(margin) == ""
}

// deeper returns the white space by which a margin is deeper than another one, two spaces if it is not.
func deeper(margin, outer string) string {
	if unit, found := strings.CutPrefix(margin, outer); found && unit != "" {
		return unit
	}
	return "  "
}

// outer returns the white space at the beginning of the lines below the brackets of t.
func (t *Text) outer() string {
	if t.inList {
		return t.margin
	}
	start, _ := t.brackets()
	return strings.Repeat(" ", start-lineStart(t.bytes, start))
}

// brackets returns the range of the resource, which is in brackets.
func (t *Text) brackets() (start, end int) {
	if len(t.top.entries) == 0 || t.inList {
		return 0, len(t.Bytes())
	}
	v := t.top.entries[0].value
	return v.start, v.end
}

// comma writes or removes the comma behind an entry that stays in the lines of a flow collection: each has one,
// except the last one of a collection without a trailing comma.
func (e *editor) comma(in *place, le *entry, part *Part) {
	switch {
	case !in.lines || e.open[part] == (le.comma < 0):
	case e.open[part]:
		e.change(le.comma, le.comma+1, nil)
	default:
		e.change(le.value.end, le.value.end, []byte(","))
	}
}

// flowLines returns the lines of an entry for a flow collection over lines, written in its form.
func (e *editor) flowLines(in *place, part *Part) []byte {
	e.doubt = e.doubt || !e.text.json
	w, margin := e.writerIn(in)
	w.entry(part.Key, part.Value, margin, !e.open[part])
	e.mustEncode = e.mustEncode || w.failed
	return w.out
}

// writerIn returns a writer of values in a flow collection, and the white space at the beginning of their lines.
func (e *editor) writerIn(in *place) (w flowWriter, margin string) {
	text := e.text.bytes
	w = e.text.flowWriter()
	if in.lines {
		margin = string(text[lineStart(text, in.entries[0].start):in.entries[0].start])
	} else if e.text.kyaml {
		line := lineStart(text, in.bare)
		margin = string(text[line:skipSpaces(text, line)])
	} else {
		margin = e.marginOf(in)
	}
	switch {
	case e.text.kyaml:
	case e.text.json && !in.lines && !strings.Contains(margin, "\n"), !e.text.json && !in.lines:
		w.unit = ""
	case !e.text.json:
		w.trailing = in.trailing
		w.unit = unitIn(text, in, margin)
	}
	return w, strings.TrimLeft(margin, "\n")
}

// unitIn returns the indentation unit of the values in a flow collection over lines: that of the collection itself,
// "" if the collections in it have one line each.
func unitIn(text []byte, in *place, margin string) string {
	if slices.ContainsFunc(in.entries, func(le entry) bool { return len(le.value.entries) > 0 }) &&
		!slices.ContainsFunc(in.entries, func(le entry) bool { return bytes.IndexByte(text[le.value.start:le.value.end], '\n') >= 0 }) {
		return ""
	}
	return deeper(margin, string(text[in.closing:in.end-1]))
}

// entry writes the lines of an entry, with its comments.
func (w *flowWriter) entry(key, value *yaml.Node, margin string, comma bool) {
	w.comments(headOf(key, value), margin)
	w.text(margin)
	if key != nil {
		w.key(key)
	}
	if w.value(value, margin); comma {
		w.text(",")
	}
	if line := oneLine(lineOf(key, value)); line != "" && !w.json {
		w.text(" " + line)
	}
	w.text("\n")
	if key != nil {
		w.comments(key.FootComment, margin)
	}
	if !isCollection(value) || len(value.Content) == 0 {
		w.comments(value.FootComment, margin)
	}
}

// comments writes comments in lines of their own.
func (w *flowWriter) comments(text, margin string) {
	if text = strings.TrimSpace(text); text != "" && !w.json {
		w.out = append(w.out, commentLines(strings.Split(text, "\n"), margin)...)
	}
}
