package report

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

const (
	// maxContext is how many unchanged lines stand around what changed.
	maxContext = 3
	// maxLines is how many lines are shown that changed, and how many of a stretch that
	// did not.
	maxLines = 400
)

// Comparison is the text of a resource in local's package beside that in the result.
type Comparison struct {
	// Hidden says that the text is not shown, because it may hold secrets.
	Hidden bool
	// Binary says that there is no text.
	Binary bool
	Rows   []Row
	// More counts the lines that have changed and are not among Rows.
	More int
}

// Row is a stretch of lines, beside each other.
type Row struct {
	// Same says that the lines are the same in both, and Folded that they are far from
	// any that changed.
	Same, Folded bool
	// Count is how many lines there are, also where Text has not all of them.
	Count int
	// Local and Result are the lines, in parts; nil where there are none.
	Local, Result []Part
	// Edits are what was done to fields that stand in these lines.
	Edits []Edit

	// localFrom and from are the numbers of the first lines, from 1; 0 if there is none.
	localFrom, from int
}

// Comparison compares the text of the resource before and after the merge. It is empty
// where nothing changed.
func (r *Resource) Comparison() (Comparison, error) {
	if !r.Happened() {
		return Comparison{}, nil
	}
	texts := r.texts()
	switch {
	case texts.hidden:
		return Comparison{Hidden: true}, nil
	case texts.binary:
		return Comparison{Binary: true}, nil
	}
	c := compareTexts(texts.local, texts.result)
	edits, err := r.Edits()
	if err != nil || r.change == nil {
		return c, err
	}
	c.place(edits, texts)
	return c, nil
}

// compareTexts lays two texts side by side.
func compareTexts(local, result string) Comparison {
	a, b := linesOf(local), linesOf(result)
	match := align.Lines(a, b)
	var c Comparison
	i, j, shown := 0, 0, 0
	for i < len(a) || j < len(b) {
		start := j
		for i < len(a) && match[i] == j {
			i, j = i+1, j+1
		}
		if j > start {
			c.Rows = append(c.Rows, stretch(b[start:j], i-(j-start)+1, start+1, start == 0, i == len(a) && j == len(b))...)
		}
		fromA, fromB := i, j
		for i < len(a) && match[i] < 0 {
			i++
		}
		for j < len(b) && (i == len(a) || match[i] > j) {
			j++
		}
		if shown += i - fromA + j - fromB; shown > maxLines {
			c.More += i - fromA + j - fromB
		} else {
			c.Rows = append(c.Rows, changedRows(a[fromA:i], b[fromB:j], fromA+1, fromB+1)...)
		}
	}
	return c
}

// linesOf are the lines of a text as they may be seen, without line breaks.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(visibleLines(text), "\n"), "\n")
	return lines
}

// stretch are the rows of lines that did not change: those far from any that did are
// folded.
func stretch(lines []string, localFrom, from int, first, last bool) []Row {
	head, tail := maxContext, maxContext
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	same := func(lo, hi int, folded bool) Row {
		parts := []Part{{Text: joined(lines[lo:hi])}}
		return Row{Same: true, Folded: folded, Count: hi - lo, Local: parts, Result: parts, localFrom: localFrom + lo, from: from + lo}
	}
	if len(lines) <= head+tail+1 {
		return []Row{same(0, len(lines), false)}
	}
	var out []Row
	if head > 0 {
		out = append(out, same(0, head, false))
	}
	out = append(out, same(head, len(lines)-tail, true))
	if tail > 0 {
		out = append(out, same(len(lines)-tail, len(lines), false))
	}
	return out
}

// joined are lines as one text, none of them too long, and not too many of them.
func joined(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		switch {
		case i == maxLines:
			return b.String() + "\n" + wording.Ellipsis
		case i > 0:
			b.WriteByte('\n')
		}
		b.WriteString(wording.CutMiddle(line, maxLine))
	}
	return b.String()
}

// changedRows are the rows of lines that changed: those that begin alike, up to a colon or
// an equals sign, stand beside each other, with the words that differ.
func changedRows(a, b []string, fromA, fromB int) []Row {
	match := align.Lines(fieldsOf(a), fieldsOf(b))
	var out []Row
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		startA, startB := i, j
		for i < len(a) && match[i] < 0 {
			i++
		}
		for j < len(b) && (i == len(a) || match[i] > j) {
			j++
		}
		if i > startA {
			out = append(out, Row{Count: i - startA, Local: []Part{{joined(a[startA:i]), true}}, localFrom: fromA + startA})
		}
		if j > startB {
			out = append(out, Row{Count: j - startB, Result: []Part{{joined(b[startB:j]), true}}, from: fromB + startB})
		}
		if i < len(a) && j < len(b) {
			l, r := words(a[i], b[j])
			out = append(out, Row{Count: 1, Local: l, Result: r, localFrom: fromA + i, from: fromB + j})
			i, j = i+1, j+1
		}
	}
	return out
}

// fieldsOf are lines up to their colons or equals signs.
func fieldsOf(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line
		if at := strings.IndexAny(line, ":="); at >= 0 {
			out[i] = line[:at]
		}
	}
	return out
}

// place puts edits to the rows in which their fields stand.
func (c *Comparison) place(edits []Edit, texts texts) {
	local, result := texts.trees()
	inResult := c.rowsOf(result, func(r Row) (int, bool) { return r.from, r.Result != nil })
	inLocal := c.rowsOf(local, func(r Row) (int, bool) { return r.localFrom, r.Local != nil })
	for _, e := range edits {
		at := inResult.find(e.path)
		if e.To == "" || at < 0 {
			at = inLocal.find(e.path)
		}
		if at >= 0 {
			c.Rows[at].Edits = append(c.Rows[at].Edits, e)
		}
	}
}

// changedLines are the changed rows that a version has, in order: index has their indices
// among all rows, and ends the lines that follow them.
type changedLines struct {
	fields      *merge.Finder // nil if the version is no YAML
	index, ends []int
}

// rowsOf are the changed rows of a version. from says where a row begins in it, and whether
// it is there.
func (c *Comparison) rowsOf(tree *yaml.Node, from func(Row) (int, bool)) changedLines {
	var l changedLines
	if tree != nil {
		l.fields = merge.NewFinder(tree)
	}
	for i, r := range c.Rows {
		if line, has := from(r); has && !r.Same {
			l.index, l.ends = append(l.index, i), append(l.ends, line+r.Count)
		}
	}
	return l
}

// find is the index of the changed row that has a field, or of the nearest after it, -1
// if there is none.
func (l changedLines) find(path *merge.Path) int {
	if l.fields == nil {
		return -1
	}
	field, _ := l.fields.Find(path)
	if at, _ := slices.BinarySearch(l.ends, field.Line+1); field.Line > 0 && at < len(l.index) {
		return l.index[at]
	}
	return -1
}

// maxLine is how much of a line is shown, in bytes.
const maxLine = 1000

// Part is a stretch of a line, or of several.
type Part struct {
	Text string
	// Changed says that the other version has something else.
	Changed bool
}

// words are two lines in parts, of which those that the other line lacks are changed.
func words(a, b string) (ofA, ofB []Part) {
	if len(a) > maxLine || len(b) > maxLine {
		return []Part{{wording.CutMiddle(a, maxLine), true}}, []Part{{wording.CutMiddle(b, maxLine), true}}
	}
	x, y := split(a), split(b)
	match := align.Lines(x, y)
	kept := make([]bool, len(y))
	for i, j := range match {
		ofA = appendPart(ofA, x[i], j < 0)
		if j >= 0 {
			kept[j] = true
		}
	}
	for j, word := range y {
		ofB = appendPart(ofB, word, !kept[j])
	}
	return ofA, ofB
}

// appendPart appends a word to the last part, if that is changed or not like it.
func appendPart(parts []Part, word string, changed bool) []Part {
	if last := len(parts) - 1; last >= 0 && parts[last].Changed == changed {
		parts[last].Text += word
		return parts
	}
	return append(parts, Part{word, changed})
}

// split divides a line into words, spaces, and what is neither.
func split(line string) []string {
	var out []string
	for line != "" {
		end := len(line) - len(strings.TrimLeftFunc(line, isWord))
		if end == 0 {
			end = len(line) - len(strings.TrimLeft(line, " "))
		}
		if end == 0 {
			end = wording.RuneAfter(line, 1)
		}
		out = append(out, line[:end])
		line = line[end:]
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
