package krmfunction

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// textChange is upstream's change: one thing, from from to to or the other way round.
type textChange struct {
	name, value, from, to string
	// remarks says that upstream has local's comments, too; json, that JSON can say it.
	remarks, json bool
}

func textChanges() []textChange {
	return []textChange{
		{name: "scalar", value: "size", from: "1", to: "3", json: true},
		{name: "unicode", value: "word", from: "grün", to: "日本 😀", json: true},
		{name: "entry", value: "added", from: "", to: "yes-it-is", json: true},
		{name: "lines", value: "extra", from: "", to: "deeper", json: true},
		{name: "in flow", value: "arg", from: "b", to: "z", json: true},
		{name: "in flow over lines", value: "far", from: "y", to: "'z z'"},
		{name: "entry of flow", value: "further", from: "", to: "three: 3"},
		{name: "literal", value: "script", from: "echo 1", to: "echo 2", json: true},
		{name: "folded", value: "folded", from: "some words", to: "other words"},
		{name: "anchored", value: "base", from: "1", to: "2"},
		{name: "element", value: "ports", from: "a=80 b=81", to: "a=80 b=81 c=82", json: true},
		{name: "first element", value: "ports", from: "a=80 b=81", to: "c=82 a=80 b=81", json: true},
		{name: "renamed element", value: "ports", from: "a=80 b=81 c=82", to: "a=80 d=81 c=82", json: true},
		{name: "moved element", value: "ports", from: "a=80 b=81 c=82", to: "c=82 a=80 b=81", json: true},
		{name: "comment above", value: "head", from: "the size", to: "how many there are", remarks: true},
		{name: "line comment", value: "note", from: "of it", to: "of all of it", remarks: true},
	}
}

// drawnText is a merge of one resource: the texts that come in, and the one that is
// to come out.
type drawnText struct {
	textChange
	style, theirs textStyle
	was, now      values
}

func drawText(t *rapid.T, c textChange) drawnText {
	d := drawnText{textChange: c, style: drawStyle(t), theirs: drawStyle(t)}
	d.theirs.comments, d.theirs.anchors = false, d.style.anchors
	if d.remarks {
		d.style.comments, d.theirs.comments = true, true
	}
	if d.json && rapid.IntRange(0, 2).Draw(t, "as JSON") == 0 {
		d.style.json, d.theirs.json = drawJSONStyle(t), drawJSONStyle(t)
	}
	d.was = values{"size": "1", "word": "grün", "arg": "b", "far": "y", "script": "echo 1", "folded": "some words", "base": "1", "ports": "a=80 b=81", "head": "the size", "note": "of it"}
	d.now = values{}
	for name, value := range d.was {
		d.now[name] = value
	}
	d.was[d.value], d.now[d.value] = d.from, d.to
	if rapid.Bool().Draw(t, "the other way round") {
		d.was, d.now = d.now, d.was
	}
	if !strings.Contains(d.was["ports"], "=82") {
		d.now["uncommented"] = "82" // as upstream has it
	}
	return d
}

// The classes of changes that no decision asked for: kyaml's reader turns CRLF to LF
// before the function sees a file, and results stand below the last line.
const (
	lineBreaks = "a list with CRLF comes out with LF"
	lastLine   = "the last line of a list gets a line break"
)

// classes are the classes of changes in a merge of d.
func (d drawnText) classes() (found []string) {
	if d.style.crlf {
		found = append(found, lineBreaks)
	}
	if d.style.open {
		found = append(found, lastLine)
	}
	return found
}

// TestLawOnlyTheLinesThatChanged: if upstream changes one thing, the result is local's text
// with only that thing changed (rules/comments-and-text: unchanged text): 0 lines more, but
// for named classes. Each class occurs.
func TestLawOnlyTheLinesThatChanged(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range textChanges() {
		t.Run(c.name, func(t *testing.T) { checkTextChange(t, c, seen) })
	}
	for _, class := range []string{lineBreaks, lastLine} {
		if !seen[class] {
			t.Errorf("does not occur: %s", class)
		}
	}
}

// checkTextChange draws merges with a change, and notes their classes.
func checkTextChange(t *testing.T, c textChange, seen map[string]bool) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawText(t, c)
		list, cut := d.list()
		out, err := Run([]byte(list), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, list)
		}
		got, want := cut(string(out)), d.style.text(d.now, d.theirs)
		if got != want {
			t.Fatalf("%s: got\n%s\nwant\n%s\nlist\n%s\nOUT\n%s", d.name, got, want, list, out)
		}
		for _, class := range d.classes() {
			seen[class] = true
		}
	})
}

// list is the list of the merge, and what cuts local's item out of the list that
// comes out.
func (d drawnText) list() (list string, cut func(string) string) {
	if d.style.json != nil && d.style.blank {
		return d.jsonList()
	}
	local := d.style.text(d.was, d.theirs)
	sides := [2]string{}
	for i, v := range [2]values{d.was, d.now} {
		side := []string{"origin", "upstream"}[i]
		sides[i] = strings.Replace(d.theirs.text(marked(v, side), d.theirs), "  name: x\n", "  name: x\n  annotations:\n    config.kubernetes.io/merge-source: "+side+"\n", 1)
	}
	items := []string{sides[0], sides[1], "apiVersion: v1\nkind: Last\nmetadata: {name: last}\n", local}
	if !d.style.open {
		slices.Reverse(items)
	}
	list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for _, item := range items {
		item = strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n  ")
		list += "- " + strings.ReplaceAll(item, "\n  \n", "\n\n") + "\n"
	}
	if d.style.open {
		list = strings.TrimSuffix(list, "\n")
	}
	if d.style.crlf {
		list = strings.ReplaceAll(list, "\n", "\r\n")
	}
	return list, d.cut
}

// marked are values with the side that JSON says in an annotation.
func marked(v values, side string) values {
	out := values{"side": side}
	for name, value := range v {
		out[name] = value
	}
	return out
}

// cut cuts local's item out of a list: the first, or the last.
func (d drawnText) cut(out string) string {
	_, items, _ := strings.Cut(out, "\nitems:\n")
	items, _, _ = strings.Cut(items, "\nresults:\n")
	all := strings.Split("\n"+items, "\n- ")
	text := all[1]
	if d.style.open {
		text = all[len(all)-1]
	}
	text = strings.ReplaceAll(text, "\n  ", "\n")
	if d.style.json != nil {
		return strings.TrimSuffix(text, "\n")
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// jsonList is the list as JSON as a whole.
func (d drawnText) jsonList() (list string, cut func(string) string) {
	const head, last = `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[` + "\n", ",\n" + `{"apiVersion":"v1","kind":"Last","metadata":{"name":"last"}}`
	list = head + d.style.text(d.was, d.theirs) + last
	for i, v := range [2]values{d.was, d.now} {
		list += ",\n" + d.theirs.text(marked(v, []string{"origin", "upstream"}[i]), d.theirs)
	}
	return list + "]}", func(out string) string {
		out, _, _ = strings.Cut(strings.TrimPrefix(out, head), last)
		return out
	}
}
