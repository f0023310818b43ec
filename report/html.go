package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
)

// HTML is the report as one page to read and to decide conflicts in (rules/reports: the
// page). It needs nothing from elsewhere, and without its script it can still be read.
type HTML struct{}

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// Name is html.
func (HTML) Name() string { return "html" }

// Write writes the page.
func (HTML) Write(w io.Writer, r *Report) error {
	m := markup{bufio.NewWriter(w)}
	m.head(r)
	m.summary(r)
	m.open("main")
	m.steps(r)
	m.filters(r)
	m.element("h2", "Resources")
	m.open("ol", "id", "resources", "class", "resources")
	number := 0
	for _, it := range r.Resources {
		if err := m.resource(r, it, number); err != nil {
			return err
		}
		number += len(it.Conflicts)
	}
	m.end("ol")
	m.notices(told(r.Notices))
	m.end("main")
	m.decision()
	m.open("script")
	m.WriteString(pageScript) // the project's own
	m.close("script")
	m.end("body")
	m.end("html")
	return m.Flush()
}

// head writes what stands before the page's content.
func (m markup) head(r *Report) {
	m.WriteString("<!DOCTYPE html>\n")
	m.open("html", "lang", "en")
	m.open("head")
	m.open("meta", "charset", "utf-8")
	m.open("meta", "http-equiv", "Content-Security-Policy", "content", contentPolicy())
	m.open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	m.open("meta", "name", "color-scheme", "content", "light dark")
	m.element("title", r.title())
	m.open("style")
	m.WriteString(pageStyle) // the project's own
	m.close("style")
	m.end("head")
	m.open("body")
}

// contentPolicy allows the page its own style and script and nothing else.
func contentPolicy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) + "; base-uri 'none'; form-action 'none'"
}

func (m markup) summary(r *Report) {
	s := r.Summary
	class := "summary"
	if s.Failed {
		class = "summary failed"
	}
	m.open("header")
	m.element("h1", r.title())
	m.element("p", s.Message, "class", class)
	m.end("header")
}

// filters writes the controls that say which resources are to be seen. Without the script
// they stay hidden.
func (m markup) filters(r *Report) {
	m.open("form", "id", "filters", "class", "filters", "role", "search", "aria-label", "Filter the resources", "hidden", yes)
	m.open("fieldset")
	m.element("legend", "Show")
	for _, show := range []string{"changed", "conflicts", "all"} {
		m.open("label")
		m.open("input", "type", "radio", "name", "show", "value", show, "checked", has(show == "changed"))
		m.text(" " + show)
		m.close("label")
	}
	m.close("fieldset")
	m.open("label")
	m.text("Kind ")
	m.open("select", "id", "kind")
	m.element("option", "every kind", "value", "*")
	for _, kind := range kindsOf(r) {
		name := kind
		if kind == "" {
			name = "(a file)"
		}
		m.element("option", name, "value", kind)
	}
	m.close("select")
	m.close("label")
	m.open("label")
	m.text("Name or file ")
	m.open("input", "id", "text", "type", "search", "autocomplete", "off", "spellcheck", "false")
	m.close("label")
	m.element("button", "Open all", "type", "button", "id", "expand")
	m.element("button", "Close all", "type", "button", "id", "collapse")
	m.element("p", "", "id", "count", "role", "status")
	m.end("form")
}

// kindsOf are the kinds of the resources, sorted.
func kindsOf(r *Report) []string {
	var kinds []string
	for _, it := range r.Resources {
		kinds = append(kinds, it.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (m markup) notices(notices []Notice) {
	if len(notices) == 0 {
		return
	}
	m.element("h2", "Notices")
	m.open("ul", "class", "notices")
	for _, n := range notices {
		m.open("li")
		m.element("span", n.Severity, "class", n.Severity)
		m.text(" " + n.Message)
		if n.File != "" {
			m.element("span", placed(n.File, n.Line), "class", "place")
		}
		m.end("li")
	}
	m.end("ul")
}

// decision writes where the script puts the rules of what was chosen.
func (m markup) decision() {
	m.open("aside", "id", "decision", "class", "decision", "aria-label", "Rules from your choices", "hidden", yes)
	m.open("details")
	m.open("summary")
	m.element("span", "", "id", "decided", "role", "status")
	m.close("summary")
	m.open("label")
	m.open("input", "type", "checkbox", "id", "whole")
	m.text(" as a whole function config")
	m.close("label")
	m.element("label", "Rules", "class", "hidden", "for", "rules")
	m.element("textarea", "", "id", "rules", "readonly", yes, "rows", "10", "spellcheck", "false")
	m.close("details")
	m.element("button", "Copy", "type", "button", "id", "copy")
	m.end("aside")
}

// markup writes HTML. Every text and every value of an attribute goes through it and is
// escaped; names of elements and attributes are this package's own. (The templates of
// the standard library would keep the linker from leaving anything out of the binary.)
type markup struct{ *bufio.Writer }

// open begins an element. attributes are names and values in turn; the value yes is that
// of an attribute without one, and an attribute whose value is no is left out.
func (m markup) open(element string, attributes ...string) {
	m.WriteString("<" + element)
	for i := 0; i+1 < len(attributes); i += 2 {
		switch name, value := attributes[i], attributes[i+1]; value {
		case no:
		case yes:
			m.WriteString(" " + name)
		default:
			m.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
		}
	}
	m.WriteString(">")
}

// yes and no are no text that may be seen.
const yes, no = "\x01", "\x00"

// has is yes or no.
func has(attribute bool) string {
	if attribute {
		return yes
	}
	return no
}

func (m markup) close(element string) { m.WriteString("</" + element + ">") }

// end closes an element that is a block, and ends the line.
func (m markup) end(element string) { m.WriteString("</" + element + ">\n") }

// text writes a text.
func (m markup) text(text string) { m.WriteString(html.EscapeString(text)) }

// element writes an element that has only text.
func (m markup) element(element, text string, attributes ...string) {
	m.open(element, attributes...)
	m.text(text)
	m.close(element)
}

// pre writes a text of several lines. A browser drops the first line break.
func (m markup) pre(parts []Part, mark string, attributes ...string) {
	m.open("pre", attributes...)
	m.WriteByte('\n')
	for _, p := range parts {
		if p.Changed {
			m.element(mark, p.Text)
		} else {
			m.text(p.Text)
		}
	}
	m.close("pre")
}

// placed is a file and a line, after a space.
func placed(file string, line int) string {
	if line == 0 {
		return " " + file
	}
	return fmt.Sprintf(" %s:%d", file, line)
}

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
