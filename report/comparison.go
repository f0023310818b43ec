package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/markerline"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

const (
	// maxContext is the number of unchanged lines shown around a change.
	maxContext = 3
	// maxLines limits the changed lines that are shown, and the lines of one unchanged row.
	maxLines = 400
)

// comparison shows the text of a resource in local's package beside the result.
type comparison struct {
	hidden bool // because the text may hold secrets
	binary bool // there is no text
	rows   []row
	more   int // number of changed lines that rows lacks
}

// row is a group of lines of both versions, side by side.
type row struct {
	// unchanged reports that both versions have the same lines, and folded that these are far from any change.
	unchanged, folded bool
	// count is the number of lines, including lines that are not shown.
	count int
	// local and result are the lines in parts, nil for a version that has none.
	local, result []part
	// edits are the changes of fields in these lines.
	edits []edit
	// localLine and resultLine are the numbers of the first lines, from 1; 0 if there is none.
	localLine, resultLine int
}

// comparison compares the text of the resource before and after the merge. It is empty if nothing changed.
func (r *Resource) comparison() (comparison, error) {
	if !r.isChanged() {
		return comparison{}, nil
	}
	texts := r.versions()
	if texts.hidden || texts.binary {
		return comparison{hidden: texts.hidden, binary: texts.binary}, nil
	}
	c := compareTexts(texts.local, texts.result)
	edits, err := r.edits()
	if err == nil && r.change != nil {
		c.attachEdits(edits, texts)
	}
	return c, err
}

// compareTexts compares two texts line by line.
func compareTexts(local, result string) comparison {
	a, b := visibleRows(local), visibleRows(result)
	var c comparison
	i, j, shown := 0, 0, 0
	for _, h := range hunks(a, b) {
		if h.BLo > j {
			c.rows = append(c.rows, unchangedRows(b[j:h.BLo], i+1, j+1, h.ALo == len(a) && h.BLo == len(b))...)
		}
		lines := h.AHi - h.ALo + h.BHi - h.BLo
		if shown += lines; shown > maxLines {
			c.more += lines
		} else {
			c.rows = append(c.rows, changedRows(a[h.ALo:h.AHi], b[h.BLo:h.BHi], h.ALo+1, h.BLo+1)...)
		}
		i, j = h.AHi, h.BHi
	}
	return c
}

// hunks returns the differences between two lists of lines, and an empty one at the end.
func hunks(a, b []string) []align.Hunk {
	return append(align.Hunks(align.Lines(a, b), len(b)), align.Hunk{ALo: len(a), AHi: len(a), BLo: len(b), BHi: len(b)})
}

// visibleRows splits a text into lines without line breaks, with invisible characters escaped.
func visibleRows(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(visibleLines(text), "\n"), "\n")
}

// unchangedRows returns the rows of unchanged lines, from these lines of both versions; lines far from
// any change are folded.
func unchangedRows(lines []string, localLine, resultLine int, last bool) []row {
	head, tail := maxContext, len(lines)-maxContext
	if resultLine == 1 {
		head = 0
	}
	if last {
		tail = len(lines)
	}
	ends := []int{0, head, tail, len(lines)}
	if tail <= head+1 {
		ends = []int{0, len(lines)}
	}
	var out []row
	for i, hi := range ends[1:] {
		if lo := ends[i]; lo < hi {
			parts := []part{{text: joinLines(lines[lo:hi])}}
			out = append(out, row{
				unchanged: true, folded: len(ends) > 2 && i == 1, count: hi - lo,
				local: parts, result: parts, localLine: localLine + lo, resultLine: resultLine + lo,
			})
		}
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
func changedRows(a, b []string, localLine, resultLine int) []row {
	var out []row
	i, j := 0, 0
	for _, h := range hunks(linePrefixes(a), linePrefixes(b)) {
		for ; i < h.ALo; i, j = i+1, j+1 {
			l, r := compareWords(a[i], b[j])
			out = append(out, row{count: 1, local: l, result: r, localLine: localLine + i, resultLine: resultLine + j})
		}
		if h.AHi > i {
			out = append(out, row{count: h.AHi - i, local: []part{{joinLines(a[i:h.AHi]), true}}, localLine: localLine + i})
		}
		for j < h.BHi {
			end := j + toMarkerEnd(b[j:h.BHi])
			out = append(out, row{count: end - j, result: []part{{joinLines(b[j:end]), true}}, resultLine: resultLine + j})
			j = end
		}
		i = h.AHi
	}
	return out
}

// toMarkerEnd returns the number of lines up to the first end of a conflict marker, or of all lines: the names of fields stand above
// the lines behind it, not within the marker.
func toMarkerEnd(lines []string) int {
	for i, line := range lines {
		if mark, length, _ := markerline.Split([]byte(line)); mark == '>' && length == markerline.Length {
			return i + 1
		}
	}
	return len(lines)
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

// edit is a change that the merge made to a field of local's.
type edit struct {
	path      *merge.Path
	shownPath string
	// from and to are the values on one line, "" if absent.
	from, to string
	conflict bool // both sides had changed the field
	reset    bool // config did not change the field since it was applied, and the cluster did
}

// edits returns the merge's changes to the fields of local's resource.
func (r *Resource) edits() ([]edit, error) {
	if r.change == nil || !r.change.Has(identity.Local) || r.change.Result == nil {
		return nil, nil
	}
	differences, err := r.change.Differences(identity.Local)
	conflicts := map[string]merge.Conflict{}
	for _, c := range r.change.Conflicts {
		conflicts[c.Path.String()] = c
	}
	var out []edit
	for _, d := range differences {
		if r.live && isRecord(d.Path) {
			continue
		}
		e := edit{path: d.Path}
		e.shownPath, e.from, e.to = showDifference(r.change, d)
		if c, found := conflicts[d.Path.String()]; found {
			e.conflict = true
			e.reset = c.Kind == merge.Drift && merge.Same(c.Values[identity.Origin], c.Values[identity.Upstream])
		}
		out = append(out, e)
	}
	return out, err
}

// attachEdits attaches edits to the rows of their fields.
func (c *comparison) attachEdits(edits []edit, texts versions) {
	inResult := c.changedLines(cmp.Or(texts.unmarked, texts.result), func(r row) (int, bool) { return r.resultLine, r.result != nil })
	inLocal := c.changedLines(texts.local, func(r row) (int, bool) { return r.localLine, r.local != nil })
	if texts.unmarked != "" {
		inResult.lines = align.Lines(strings.Split(texts.unmarked, "\n"), strings.Split(texts.result, "\n"))
	}
	for _, e := range edits {
		at := inResult.find(e.path)
		if e.to == "" || at < 0 {
			at = inLocal.find(e.path)
		}
		if at >= 0 {
			c.rows[at].edits = append(c.rows[at].edits, e)
		}
	}
}

// changedLines indexes the changed rows of one version: index are the row numbers in order, and
// ends the line after each row.
type changedLines struct {
	fields      *merge.Finder // nil if the version is not YAML
	index, ends []int
	lines       []int // the index of each line of the fields' text in the shown text; nil if it is the shown text
}

// changedLines indexes the changed rows of a version. from returns the first line of a row in the
// version, and whether the version has lines there.
func (c *comparison) changedLines(text string, from func(row) (int, bool)) changedLines {
	var l changedLines
	if tree := parsedYAML(text); tree != nil {
		l.fields = merge.NewFinder(tree)
	}
	for i, r := range c.rows {
		if line, has := from(r); has && !r.unchanged {
			l.index, l.ends = append(l.index, i), append(l.ends, line+r.count)
		}
	}
	return l
}

// parsedYAML returns the root of a YAML document, nil if the text is none.
func parsedYAML(text string) *yaml.Node {
	var tree yaml.Node
	if yaml.Unmarshal([]byte(text), &tree) != nil || len(tree.Content) == 0 {
		return nil
	}
	return tree.Content[0]
}

// find returns the index of the changed row with a field, or of the nearest row after it, -1 if there is none.
func (l changedLines) find(path *merge.Path) int {
	if l.fields == nil {
		return -1
	}
	field, _ := l.fields.Find(path)
	line := field.Line
	if l.lines != nil && line > 0 {
		line = l.lines[line-1] + 1
	}
	if at, _ := slices.BinarySearch(l.ends, line+1); line > 0 && at < len(l.index) {
		return l.index[at]
	}
	return -1
}

// maxLine limits how much of a line is shown, in bytes.
const maxLine = 1000

// part is a part of one line or of several.
type part struct {
	text    string
	changed bool // the other version differs here
}

// compareWords splits two lines into parts, and marks the words that the other line lacks.
func compareWords(a, b string) (ofA, ofB []part) {
	if len(a) > maxLine || len(b) > maxLine {
		return []part{{wording.CutMiddle(a, maxLine), true}}, []part{{wording.CutMiddle(b, maxLine), true}}
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
func appendPart(parts []part, word string, changed bool) []part {
	if last := len(parts) - 1; last >= 0 && parts[last].changed == changed {
		parts[last].text += word
		return parts
	}
	return append(parts, part{word, changed})
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
