package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// comma sees to the comma behind an entry that stays in the lines of a flow collection:
// each has one, but for the last one where the collection has no trailing comma.
func (e *editor) comma(in *place, le *entry, part *Part) {
	switch {
	case !in.lines || e.open[part] == (le.comma < 0):
	case e.open[part]:
		e.change(le.comma, le.comma+1, nil)
	default:
		e.change(le.value.end, le.value.end, []byte(","))
	}
}

// flowLines returns the lines of an entry as they come into a flow collection over lines:
// the other side's, edited and moved to the column, where that is laid out alike, else
// written like local's.
func (e *editor) flowLines(in *place, from source, part *Part, float bool) []byte {
	e.doubt = e.doubt || !e.text.json
	alike := from.entry != nil && from.in.lines && !e.text.json && !e.other.json && e.text.kyaml == e.other.kyaml
	if alike && e.whyNot(from) == "" {
		if lines, ok := e.taken(in, from, part, float); ok {
			return lines
		}
	}
	w, margin := e.writerIn(in)
	w.entry(part.Key, part.Value, margin, !e.open[part])
	e.hopeless = e.hopeless || w.failed
	return w.out
}

// writerIn returns a writer of values in a flow collection, and the white space that the
// lines begin with on which these stand.
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
	return w, strings.TrimLeft(margin, "\r\n")
}

// unitIn is by how much the values in a flow collection over lines are indented: as the
// collection itself is, "" if the collections in it stand in one line.
func unitIn(text []byte, in *place, margin string) string {
	if slices.ContainsFunc(in.entries, func(le entry) bool { return len(le.value.entries) > 0 }) &&
		!slices.ContainsFunc(in.entries, func(le entry) bool { return bytes.IndexByte(text[le.value.start:le.value.end], '\n') >= 0 }) {
		return ""
	}
	unit, found := strings.CutPrefix(margin, string(text[in.closing:in.end-1]))
	if !found || unit == "" {
		return "  "
	}
	return unit
}

// entry writes the lines of an entry, with its comments.
func (w *flowWriter) entry(key, value *yaml.Node, margin string, comma bool) {
	w.remarks(headOf(key, value), margin)
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
	w.text(w.eol)
	if key != nil {
		w.remarks(key.FootComment, margin)
	}
	if !isCollection(value) || len(value.Content) == 0 {
		w.remarks(value.FootComment, margin)
	}
}

// remarks writes comments in lines of their own.
func (w *flowWriter) remarks(text, margin string) {
	if text = strings.TrimSpace(text); text == "" || w.json {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		if line = comment(line); line != "" {
			line = margin + line
		}
		w.text(line + w.eol)
	}
}
