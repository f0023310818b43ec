package report

import "strconv"

// steps writes the steps of a plan as a table.
func (m markup) steps(r *Report) {
	if !r.hasPlan() {
		return
	}
	m.element("h2", "Steps")
	m.open("table", "class", "steps")
	m.open("tr")
	for _, title := range [...]string{"Step", "Wave", "Action", "Object"} {
		m.element("th", title, "scope", "col")
	}
	m.end("tr")
	for _, s := range r.Steps {
		m.open("tr")
		for _, cell := range [...]string{strconv.Itoa(s.Number), strconv.Itoa(s.Wave), s.Action, s.subject()} {
			m.element("td", cell)
		}
		m.end("tr")
	}
	m.end("table")
}
