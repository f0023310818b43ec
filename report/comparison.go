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
	// maxContext is the number of unchanged lines shown around a change.
	maxContext = 3
	// maxLines limits the changed lines that are shown, and the lines of one unchanged row.
	maxLines = 400
)

// Comparison shows the text of a resource in local's package beside the result.
type Comparison struct {
	// Hidden reports that the text is not shown, because it may hold secrets.
	Hidden bool
	// Binary reports that there is no text.
	Binary bool
	Rows   []Row
	// More counts the changed lines that Rows lacks.
	More int
}

// Row is a group of lines of both versions, side by side.
type Row struct {
	// Unchanged reports that both versions have the same lines, and Folded that these are far from
	// any change.
	Unchanged, Folded bool
	// Count is the number of lines, including those that are not shown.
	Count int
	// Local and Result are the lines in parts, nil for a version that has none.
	Local, Result []Part
	// Edits are the changes of fields in these lines.
	Edits []Edit

	// localLine and resultLine are the numbers of the first lines, from 1; 0 if there is none.
	localLine, resultLine int
}

// Comparison compares the text of the resource before and after the merge. It is empty if nothing
// changed.
func (r *Resource) Comparison() (Comparison, error) {
	if !r.IsChanged() {
		return Comparison{}, nil
	}
	texts := r.versions()
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
	c.attachEdits(edits, texts)
	return c, nil
}

// compareTexts compares two texts line by line.
func compareTexts(local, result string) Comparison {
	a, b := visibleRows(local), visibleRows(result)
	match := align.Lines(a, b)
	var c Comparison
	i, j, shown := 0, 0, 0
	for i < len(a) || j < len(b) {
		start := j
		for i < len(a) && match[i] == j {
			i, j = i+1, j+1
		}
		if j > start {
			c.Rows = append(c.Rows, unchangedRows(b[start:j], i-(j-start)+1, start+1, start == 0, i == len(a) && j == len(b))...)
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

// visibleRows splits a text into lines without line breaks, with invisible characters escaped.
func visibleRows(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(visibleLines(text), "\n"), "\n")
	return lines
}

// unchangedRows returns the rows of unchanged lines; lines far from any change are folded.
func unchangedRows(lines []string, localFrom, from int, first, last bool) []Row {
	head, tail := maxContext, maxContext
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	same := func(lo, hi int, folded bool) Row {
		parts := []Part{{Text: joinLines(lines[lo:hi])}}
		return Row{Unchanged: true, Folded: folded, Count: hi - lo, Local: parts, Result: parts, localLine: localFrom + lo, resultLine: from + lo}
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

// joinLines joins at most maxLines lines, each cut to maxLine bytes.
func joinLines(lines []string) string {
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

// changedRows returns the rows of changed lines. Lines that are equal up to a colon or an equals
// sign stand beside each other, with the differing words marked.
func changedRows(a, b []string, fromA, fromB int) []Row {
	match := align.Lines(linePrefixes(a), linePrefixes(b))
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
			out = append(out, Row{Count: i - startA, Local: []Part{{joinLines(a[startA:i]), true}}, localLine: fromA + startA})
		}
		if j > startB {
			out = append(out, Row{Count: j - startB, Result: []Part{{joinLines(b[startB:j]), true}}, resultLine: fromB + startB})
		}
		if i < len(a) && j < len(b) {
			l, r := compareWords(a[i], b[j])
			out = append(out, Row{Count: 1, Local: l, Result: r, localLine: fromA + i, resultLine: fromB + j})
			i, j = i+1, j+1
		}
	}
	return out
}

// linePrefixes returns each line up to its first colon or equals sign.
func linePrefixes(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line
		if at := strings.IndexAny(line, ":="); at >= 0 {
			out[i] = line[:at]
		}
	}
	return out
}

// attachEdits attaches edits to the rows of their fields.
func (c *Comparison) attachEdits(edits []Edit, texts versions) {
	local, result := texts.parse()
	inResult := c.changedLines(result, func(r Row) (int, bool) { return r.resultLine, r.Result != nil })
	inLocal := c.changedLines(local, func(r Row) (int, bool) { return r.localLine, r.Local != nil })
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

// changedLines indexes the changed rows of one version: index are the row numbers in order, and
// ends the line after each row.
type changedLines struct {
	fields      *merge.Finder // nil if the version is no YAML
	index, ends []int
}

// changedLines indexes the changed rows of a version. from returns the first line of a row in the
// version, and whether the version has lines there.
func (c *Comparison) changedLines(tree *yaml.Node, from func(Row) (int, bool)) changedLines {
	var l changedLines
	if tree != nil {
		l.fields = merge.NewFinder(tree)
	}
	for i, r := range c.Rows {
		if line, has := from(r); has && !r.Unchanged {
			l.index, l.ends = append(l.index, i), append(l.ends, line+r.Count)
		}
	}
	return l
}

// find returns the index of the changed row with a field, or of the nearest row after it, -1 if
// there is none.
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

// maxLine limits how much of a line is shown, in bytes.
const maxLine = 1000

// Part is a part of one line or of several.
type Part struct {
	Text string
	// Changed reports that the other version differs here.
	Changed bool
}

// compareWords splits two lines into parts, and marks the words that the other line lacks.
func compareWords(a, b string) (ofA, ofB []Part) {
	if len(a) > maxLine || len(b) > maxLine {
		return []Part{{wording.CutMiddle(a, maxLine), true}}, []Part{{wording.CutMiddle(b, maxLine), true}}
	}
	x, y := splitWords(a), splitWords(b)
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

// appendPart appends a word, and joins it with the last part if both are changed or both are not.
func appendPart(parts []Part, word string, changed bool) []Part {
	if last := len(parts) - 1; last >= 0 && parts[last].Changed == changed {
		parts[last].Text += word
		return parts
	}
	return append(parts, Part{word, changed})
}

// splitWords splits a line into words, runs of spaces and single other characters.
func splitWords(line string) []string {
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
