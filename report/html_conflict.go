package report

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
)

// conflict writes a conflict: where it is, its three values, and what can be chosen.
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
		m.element("span", placed(c.File, c.Line), "class", "place")
		m.text(": ")
	}
	m.text(c.Said + ".")
	m.end("p")
	m.open("div", "class", "values")
	for _, side := range identity.Sides() {
		m.value(r.Sides[side], c.Values[side], c.Chosen == side.String())
	}
	m.end("div")
	if r.Steps != nil {
		m.element("p", "The server decides this. Change config, or the live object, instead.", "class", "none")
	} else if c.Rule == nil {
		m.element("p", "No rule decides this otherwise: a deletion or a switch stands. Edit the result instead.", "class", "none")
	} else {
		m.choices(c, number)
	}
	m.end("section")
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
	m.end("div")
}

// choices writes what can be chosen: each side, with the rule that takes it unless the
// result has it.
func (m markup) choices(c *Conflict, number int) {
	m.open("fieldset", "class", "choice")
	m.element("legend", "Decide by a rule")
	for _, side := range [2]string{identity.Upstream.String(), identity.Local.String()} {
		rule, label := *c.Rule, " take "+side+"'s"
		rule.Prefer = side
		text := rule.YAML()
		if side == c.Chosen {
			text, label = no, label+", as the result has it"
		}
		m.open("label")
		m.open("input", "type", "radio", "name", fmt.Sprintf("choice-%d", number), "value", side,
			"data-rule", text, "checked", has(side == c.Chosen))
		m.text(label)
		m.end("label")
	}
	m.end("fieldset")
}
