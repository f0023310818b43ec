package report

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// resources writes the entries of the list of resources. Their conflicts are numbered.
func (m markup) resources(r *Report) error {
	number := 0
	for _, it := range r.Resources {
		m.resourceSummary(it)
		for _, c := range it.Conflicts {
			number++
			m.conflict(r, c, number)
		}
		if err := m.comparison(r, it); err != nil {
			return err
		}
		if err := m.drift(r, it); err != nil {
			return err
		}
		m.WriteString("</div></details></li>\n")
	}
	return nil
}

// resourceSummary writes an entry up to its conflicts.
func (m markup) resourceSummary(it *Resource) {
	file := it.File
	if it.From != "" {
		file += ", from " + it.From
	}
	m.printf(`<li class="resource" data-kind="%s" data-action="%s" data-conflicts="%s" data-search="%s">`,
		it.Kind, it.Action, fmt.Sprint(len(it.Conflicts)), strings.ToLower(it.Subject+" "+it.File))
	m.printf(`<details><summary><span class="action %s">%s</span> <span class="subject">%s</span> <span class="file">%s</span>`,
		it.Action, it.ActionLabel, it.Subject, file)
	if len(it.Conflicts) > 0 {
		m.printf(` <span class="conflicts">%s</span>`, wording.Plural(len(it.Conflicts), "conflict"))
	}
	m.WriteString("</summary>\n" + `<div class="body">`)
}

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
	case !it.IsChanged():
		m.WriteString(`<p class="none">The merge changed nothing here.</p>`)
	case len(c.rows) > 0:
		m.rows(r, it, c)
	}
	return nil
}

func (m markup) rows(r *Report, it *Resource, c comparison) {
	m.printf(`<table class="diff"><caption>%s, before and after the merge</caption>`, it.Subject)
	m.printf(`<thead><tr><th scope="col">%s</th><th scope="col">result</th></tr></thead><tbody>`, r.Sides[identity.Local])
	for _, row := range c.rows {
		m.row(r, row)
	}
	if c.more > 0 {
		m.printf(`<tr class="fold"><td colspan="2">%s changed, not shown.</td></tr>`, wording.Plural(c.more, "more line"))
	}
	m.WriteString("</tbody></table>\n")
}

func (m markup) row(r *Report, row row) {
	switch {
	case row.folded:
		m.printf(`<tr class="fold"><td colspan="2"><details><summary>%s</summary>`, wording.Plural(row.count, "unchanged line"))
		m.pre(row.result, "", "")
		m.WriteString("</details></td></tr>\n")
		return
	case row.unchanged:
		m.WriteString(`<tr class="same">`)
		m.side(row.local, "", "")
		m.side(row.result, "", ` class="again"`)
	case row.local == nil || row.result == nil:
		m.WriteString(`<tr class="changed alone">`)
		m.side(row.local, "del", ` class="before"`)
		m.side(row.result, "ins", ` class="after"`)
	default:
		m.WriteString(`<tr class="changed">`)
		m.side(row.local, "del", ` class="before"`)
		m.side(row.result, "ins", ` class="after"`)
	}
	m.WriteString("</tr>\n")
	if len(row.edits) > 0 {
		m.WriteString(`<tr class="who"><td colspan="2">`)
		m.edits(r, row.edits)
		m.WriteString("</td></tr>\n")
	}
}

// side writes one side of a row; class is an attribute.
func (m markup) side(parts []part, mark, class string) {
	if parts == nil {
		m.WriteString("<td></td>")
		return
	}
	m.WriteString("<td" + class + ">")
	m.pre(parts, mark, "")
	m.WriteString("</td>")
}

// edits writes which side changed which fields.
func (m markup) edits(r *Report, edits []edit) {
	if len(edits) == 0 {
		return
	}
	m.WriteString(`<ul class="edits">`)
	for _, e := range edits {
		m.printf("<li>%s <code>%s</code>", e.verb(r.Sides[identity.Upstream]), e.shownPath)
		if e.from != "" && e.to != "" {
			m.printf(": <code>%s</code> became <code>%s</code>", e.from, e.to)
		}
		m.WriteString("</li>")
	}
	m.WriteString("</ul>")
}

// verb returns the side that made the change and a verb; upstream is upstream's name in the report.
func (e edit) verb(upstream string) string {
	switch {
	case e.conflict && upstream == identity.Upstream.String():
		return "both sides changed"
	case e.from == "":
		return upstream + " added"
	case e.to == "":
		return upstream + " removed"
	}
	return upstream + " changed"
}

// drift writes the remaining differences from upstream of a resource that the merge changed.
func (m markup) drift(r *Report, it *Resource) error {
	if !it.IsChanged() || r.Steps != nil {
		return nil
	}
	found, err := it.drift()
	if err != nil || len(found) == 0 {
		return err
	}
	m.printf(`<details class="drift"><summary>What differs from upstream (%s)</summary><ul>`, fmt.Sprint(len(found)))
	for _, d := range found {
		switch {
		case d.path == "" && d.local != "":
			m.WriteString("<li>only here</li>")
		case d.path == "":
			m.WriteString("<li>only upstream</li>")
		default:
			m.printf("<li><code>%s</code>: upstream ", d.path)
			m.driftValue(d.upstream)
			m.WriteString(", here ")
			m.driftValue(d.local)
			m.WriteString("</li>")
		}
	}
	m.WriteString("</ul></details>")
	return nil
}

func (m markup) driftValue(value string) {
	if value == "" {
		m.WriteString("absent")
	} else {
		m.printf("<code>%s</code>", value)
	}
}

// conflict writes a conflict: its location, its three values, and the choices.
func (m markup) conflict(r *Report, c *Conflict, number int) {
	id := fmt.Sprintf("conflict-%d", number)
	m.printf(`<section class="conflict" aria-labelledby="%s"><h3 id="%s">%s`, id, id, c.Kind)
	if c.Path != "" {
		m.printf(": <code>%s</code>", c.Path)
	}
	m.WriteString("</h3><p>")
	if c.File != "" {
		m.printf(`<span class="place"> %s</span>: `, fileAndLine(c.File, c.Line))
	}
	m.printf("%s.</p>\n"+`<div class="values">`, c.Description)
	for _, side := range identity.Sides() {
		m.value(r.Sides[side], c.Values[side], c.Chosen == side.String())
	}
	m.WriteString("</div>\n")
	switch {
	case r.Steps != nil:
		m.WriteString(`<p class="none">The server decides this. Change config, or the live object, instead.</p>`)
	case c.Rule == nil:
		m.WriteString(`<p class="none">No rule decides this otherwise: a deletion or a switch stands. Edit the result instead.</p>`)
	default:
		m.choices(c, number)
	}
	m.WriteString("</section>\n")
}

func (m markup) value(side string, v Value, taken bool) {
	class, title := "value", side
	if taken {
		class, title = "value taken", side+" (taken)"
	}
	m.printf(`<div class="%s"><h4>%s</h4>`, class, title)
	switch {
	case !v.Present:
		m.WriteString(`<p class="none">absent</p>`)
	case v.Hidden:
		m.WriteString(`<p class="none">hidden</p>`)
	default:
		m.pre([]part{{text: v.Text}}, "", ` tabindex="0" role="group" aria-label="Value of `+side+`"`)
	}
	m.WriteString("</div>\n")
}

// choices writes the choices: each side, with the rule that takes it unless the result has it.
func (m markup) choices(c *Conflict, number int) {
	m.WriteString(`<fieldset class="choice"><legend>Decide by a rule</legend>`)
	for _, side := range [2]string{identity.Upstream.String(), identity.Local.String()} {
		m.printf(`<label><input type="radio" name="choice-%s" value="%s"`, fmt.Sprint(number), side)
		if side == c.Chosen {
			m.printf(" checked> take %s, as the result has it</label>\n", side+"'s")
			continue
		}
		rule := *c.Rule
		rule.Prefer = side
		m.printf(` data-rule="%s"> take %s</label>`+"\n", rule.YAML(), side+"'s")
	}
	m.WriteString("</fieldset>\n")
}
