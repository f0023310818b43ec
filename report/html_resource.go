package report

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// resource writes one entry of the list of resources. before is the number of conflicts in earlier
// entries.
func (m markup) resource(r *Report, it *Resource, before int) error {
	m.open("li", "class", "resource", "data-kind", it.Kind, "data-action", it.Action,
		"data-conflicts", fmt.Sprint(len(it.Conflicts)), "data-search", strings.ToLower(it.Subject+" "+it.File))
	m.open("details")
	m.open("summary")
	m.element("span", it.ActionLabel, "class", "action "+it.Action)
	m.text(" ")
	m.element("span", it.Subject, "class", "subject")
	file := it.File
	if it.From != "" {
		file += ", from " + it.From
	}
	m.text(" ")
	m.element("span", file, "class", "file")
	if len(it.Conflicts) > 0 {
		m.text(" ")
		m.element("span", wording.Plural(len(it.Conflicts), "conflict"), "class", "conflicts")
	}
	m.closeBlock("summary")
	m.open("div", "class", "body")
	for i, c := range it.Conflicts {
		m.conflict(r, c, before+i+1)
	}
	if err := m.comparison(r, it); err != nil {
		return err
	}
	if err := m.drift(r, it); err != nil {
		return err
	}
	m.close("div")
	m.close("details")
	m.closeBlock("li")
	return nil
}

// comparison writes local's text and the result's side by side.
func (m markup) comparison(r *Report, it *Resource) error {
	c, err := it.Comparison()
	switch {
	case err != nil:
		return err
	case c.Hidden:
		m.element("p", "The text is hidden, because it may hold secrets.", "class", "none")
		edits, err := it.Edits()
		m.edits(r, edits)
		return err
	case c.Binary:
		m.element("p", "There is no text to show.", "class", "none")
	case !it.IsChanged():
		m.element("p", "The merge changed nothing here.", "class", "none")
	case len(c.Rows) > 0:
		m.rows(r, it, c)
	}
	return nil
}

func (m markup) rows(r *Report, it *Resource, c Comparison) {
	m.open("table", "class", "diff")
	m.element("caption", it.Subject+", before and after the merge")
	m.open("thead")
	m.open("tr")
	m.element("th", r.Sides[identity.Local], "scope", "col")
	m.element("th", "result", "scope", "col")
	m.close("tr")
	m.close("thead")
	m.open("tbody")
	for _, row := range c.Rows {
		m.row(r, row)
	}
	if c.More > 0 {
		m.open("tr", "class", "fold")
		m.element("td", wording.Plural(c.More, "more line")+" changed, not shown.", "colspan", "2")
		m.close("tr")
	}
	m.close("tbody")
	m.closeBlock("table")
}

func (m markup) row(r *Report, row Row) {
	switch {
	case row.Folded:
		m.open("tr", "class", "fold")
		m.open("td", "colspan", "2")
		m.open("details")
		m.element("summary", wording.Plural(row.Count, "unchanged line"))
		m.pre(row.Result, "")
		m.close("details")
		m.close("td")
		m.closeBlock("tr")
		return
	case row.Unchanged:
		m.open("tr", "class", "same")
		m.side(row.Local, "", "")
		m.side(row.Result, "", "again")
		m.closeBlock("tr")
		return
	}
	class := "changed"
	if row.Local == nil || row.Result == nil {
		class = "changed alone"
	}
	m.open("tr", "class", class)
	m.side(row.Local, "del", "before")
	m.side(row.Result, "ins", "after")
	m.closeBlock("tr")
	if len(row.Edits) > 0 {
		m.open("tr", "class", "who")
		m.open("td", "colspan", "2")
		m.edits(r, row.Edits)
		m.close("td")
		m.closeBlock("tr")
	}
}

// side writes one side of a row.
func (m markup) side(parts []Part, mark, class string) {
	if parts == nil || class == "" {
		class = omitted
	}
	m.open("td", "class", class)
	if parts != nil {
		m.pre(parts, mark)
	}
	m.close("td")
}

// edits writes which side changed which fields.
func (m markup) edits(r *Report, edits []Edit) {
	if len(edits) == 0 {
		return
	}
	m.open("ul", "class", "edits")
	for _, e := range edits {
		m.open("li")
		m.text(e.verb(r.Sides[identity.Upstream]) + " ")
		m.element("code", e.Path)
		if e.From != "" && e.To != "" {
			m.text(": ")
			m.element("code", e.From)
			m.text(" became ")
			m.element("code", e.To)
		}
		m.close("li")
	}
	m.close("ul")
}

// verb returns the side that made the change and a verb; upstream is upstream's name in the report.
func (e Edit) verb(upstream string) string {
	switch {
	case e.Conflict && upstream == identity.Upstream.String():
		return "both sides changed"
	case e.From == "":
		return upstream + " added"
	case e.To == "":
		return upstream + " removed"
	}
	return upstream + " changed"
}

// drift writes the remaining differences from upstream of a resource that the merge changed.
func (m markup) drift(r *Report, it *Resource) error {
	if !it.IsChanged() || r.Steps != nil {
		return nil
	}
	drift, err := it.drift()
	if err != nil || len(drift) == 0 {
		return err
	}
	m.open("details", "class", "drift")
	m.element("summary", fmt.Sprintf("What differs from upstream (%d)", len(drift)))
	m.open("ul")
	for _, d := range drift {
		m.open("li")
		m.difference(d)
		m.close("li")
	}
	m.close("ul")
	m.close("details")
	return nil
}

func (m markup) difference(d Drift) {
	switch {
	case d.Path == "" && d.Local != "":
		m.text("only here")
		return
	case d.Path == "":
		m.text("only upstream")
		return
	}
	m.element("code", d.Path)
	for i, value := range [2]string{d.Upstream, d.Local} {
		m.text([2]string{": upstream ", ", here "}[i])
		if value == "" {
			m.text("absent")
		} else {
			m.element("code", value)
		}
	}
}

// conflict writes a conflict: its location, its three values, and the choices.
func (m markup) conflict(r *Report, c *Conflict, number int) {
	id := fmt.Sprintf("conflict-%d", number)
	m.open("section", "class", "conflict", "aria-labelledby", id)
	m.open("h3", "id", id)
	m.text(c.Kind)
	if c.Path != "" {
		m.text(": ")
		m.element("code", c.Path)
	}
	m.close("h3")
	m.open("p")
	if c.File != "" {
		m.element("span", locationText(c.File, c.Line), "class", "place")
		m.text(": ")
	}
	m.text(c.Description + ".")
	m.closeBlock("p")
	m.open("div", "class", "values")
	for _, side := range identity.Sides() {
		m.value(r.Sides[side], c.Values[side], c.Chosen == side.String())
	}
	m.closeBlock("div")
	if r.Steps != nil {
		m.element("p", "The server decides this. Change config, or the live object, instead.", "class", "none")
	} else if c.Rule == nil {
		m.element("p", "No rule decides this otherwise: a deletion or a switch stands. Edit the result instead.", "class", "none")
	} else {
		m.choices(c, number)
	}
	m.closeBlock("section")
}

func (m markup) value(side string, v Value, taken bool) {
	class, title := "value", side
	if taken {
		class, title = "value taken", side+" (taken)"
	}
	m.open("div", "class", class)
	m.element("h4", title)
	switch {
	case !v.Present:
		m.element("p", "absent", "class", "none")
	case v.Hidden:
		m.element("p", "hidden", "class", "none")
	default:
		m.pre([]Part{{Text: v.Text}}, "", "tabindex", "0", "role", "group", "aria-label", "Value of "+side)
	}
	m.closeBlock("div")
}

// choices writes the choices: each side, with the rule that takes it unless the result has it.
func (m markup) choices(c *Conflict, number int) {
	m.open("fieldset", "class", "choice")
	m.element("legend", "Decide by a rule")
	for _, side := range [2]string{identity.Upstream.String(), identity.Local.String()} {
		rule, label := *c.Rule, " take "+side+"'s"
		rule.Prefer = side
		text := rule.YAML()
		if side == c.Chosen {
			text, label = omitted, label+", as the result has it"
		}
		m.open("label")
		m.open("input", "type", "radio", "name", fmt.Sprintf("choice-%d", number), "value", side,
			"data-rule", text, "checked", attributeIf(side == c.Chosen))
		m.text(label)
		m.closeBlock("label")
	}
	m.closeBlock("fieldset")
}
