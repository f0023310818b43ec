package report

import (
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/markerline"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// comparison writes local's text and the result's side by side.
func (m markup) comparison(r *Report, it *Resource) error {
	c, err := it.comparison()
	switch {
	case err != nil:
		return err
	case c.hidden:
		m.WriteString(`<p class="none">The text is hidden, because it may hold secrets.</p>`)
		edits, err := it.edits()
		m.edits(r, edits)
		return err
	case c.binary:
		m.WriteString(`<p class="none">There is no text to show.</p>`)
	case len(c.rows) > 0:
		m.rows(r, it, c)
	case !it.isChanged():
		m.WriteString(`<p class="none">The merge changed nothing here.</p>`)
	}
	return nil
}

// rows writes a table with a row for each line: its number and text in local, and its number and text in the result.
func (m markup) rows(r *Report, it *Resource, c comparison) {
	m.printf(`<table class="diff"><caption>%s, before and after the merge</caption><thead><tr>`, it.Subject)
	for _, title := range [2]string{r.Sides[identity.Local], "result"} {
		m.printf(`<th scope="col" class="number"><span class="hidden">line of %s</span></th><th scope="col">%s</th>`, title, title)
	}
	m.WriteString("</tr></thead><tbody>\n")
	for _, row := range c.rows {
		if r.steps != nil { // live objects are in no file
			row.localLine, row.resultLine = 0, 0
		}
		m.row(r, row)
	}
	if c.more > 0 {
		m.printf(`<tr class="fold"><td colspan="4">%s changed, not shown.</td></tr>`, wording.Plural(c.more, "more line"))
	}
	m.WriteString("</tbody></table>\n")
}

// row writes a group of lines, below the names of the fields that changed in them.
func (m markup) row(r *Report, row row) {
	if len(row.edits) > 0 {
		m.WriteString(`<tr class="who"><td colspan="4">`)
		m.edits(r, row.edits)
		m.WriteString("</td></tr>\n")
	}
	switch {
	case row.folded:
		m.printf(`<tr class="fold"><td colspan="4"><details><summary>%s</summary><table class="diff" role="presentation">`, wording.Plural(row.count, "unchanged line"))
		m.lines(row, "same")
		m.WriteString("</table></details></td></tr>\n")
	case row.unchanged:
		m.lines(row, "same")
	case row.local == nil || row.result == nil:
		m.lines(row, "changed alone")
	default:
		m.lines(row, "changed")
	}
}

// lines writes a table row for each line of a group of lines.
func (m markup) lines(row row, class string) {
	local, result := splitLines(row.local), splitLines(row.result)
	for i := range max(len(local), len(result)) {
		m.printf(`<tr class="%s">`, class)
		m.side(local, i, row.localLine, "del", "before")
		m.side(result, i, row.resultLine, "ins", "after")
		m.WriteString("</tr>\n")
	}
}

// side writes one of a version's lines, which have numbers from first on, unless first is 0. Changed
// words are in elements named mark.
func (m markup) side(lines [][]part, at, first int, mark, class string) {
	if at >= len(lines) {
		m.WriteString(`<td class="number none"></td><td class="none"></td>`)
		return
	}
	number := ""
	if first > 0 {
		number = strconv.Itoa(first + at)
	}
	m.printf(`<td class="number %s">%s</td>`, class, number)
	if isMarkerLine(lines[at]) {
		class += " marker"
	}
	m.printf(`<td class="line %s">`, class)
	m.parts(lines[at], mark)
	m.WriteString("</td>")
}

// splitLines splits the parts of a text at its line breaks.
func splitLines(parts []part) [][]part {
	if parts == nil {
		return nil
	}
	lines := [][]part{nil}
	for _, p := range parts {
		for i, text := range strings.Split(p.text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			last := len(lines) - 1
			lines[last] = append(lines[last], part{text, p.changed})
		}
	}
	return lines
}

// isMarkerLine reports whether a line is one of git's conflict markers.
func isMarkerLine(line []part) bool {
	if len(line) == 0 {
		return false
	}
	mark, length, _ := markerline.Split([]byte(line[0].text))
	return mark != 0 && length == markerline.Length
}

// edits writes which side changed which fields. The values are in the lines.
func (m markup) edits(r *Report, edits []edit) {
	if len(edits) == 0 {
		return
	}
	m.WriteString(`<ul class="edits">`)
	for _, e := range edits {
		m.printf("<li>%s <code>%s</code></li>", e.verb(r.Sides[identity.Upstream]), e.shownPath)
	}
	m.WriteString("</ul>")
}

// verb returns the side that made the change and a verb; upstream is upstream's name in the report.
func (e edit) verb(upstream string) string {
	switch {
	case e.reset:
		return "the apply resets"
	case e.conflict && upstream == identity.Upstream.String():
		return "both sides changed"
	case e.from == "":
		return upstream + " added"
	case e.to == "":
		return upstream + " removed"
	}
	return upstream + " changed"
}
