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

// HTML writes the report as one page to read and to decide conflicts in (rules/reports: the page).
// It loads nothing, and is readable without its script.
type HTML struct{}

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

func (HTML) Name() string { return "html" }

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
	m.closeBlock("ol")
	m.notices(joinRemoved(r.Notices))
	m.closeBlock("main")
	m.decision()
	m.open("script")
	m.WriteString(pageScript) // the project's own
	m.close("script")
	m.closeBlock("body")
	m.closeBlock("html")
	return m.Flush()
}

// head writes the page up to its content.
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
	m.closeBlock("head")
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
	m.closeBlock("header")
}

// filters writes the controls that select the resources to show. Without the script they stay
// hidden.
func (m markup) filters(r *Report) {
	m.open("form", "id", "filters", "class", "filters", "role", "search", "aria-label", "Filter the resources", "hidden", bare)
	m.open("fieldset")
	m.element("legend", "Show")
	for _, show := range []string{"changed", "conflicts", "all"} {
		m.open("label")
		m.open("input", "type", "radio", "name", "show", "value", show, "checked", attributeIf(show == "changed"))
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
	m.closeBlock("form")
}

// kindsOf returns the kinds of the resources, sorted.
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
			m.element("span", locationText(n.File, n.Line), "class", "place")
		}
		m.closeBlock("li")
	}
	m.closeBlock("ul")
}

// decision writes the element where the script puts the rules for the choices.
func (m markup) decision() {
	m.open("aside", "id", "decision", "class", "decision", "aria-label", "Rules from your choices", "hidden", bare)
	m.open("details")
	m.open("summary")
	m.element("span", "", "id", "decided", "role", "status")
	m.close("summary")
	m.open("label")
	m.open("input", "type", "checkbox", "id", "whole")
	m.text(" as a whole function config")
	m.close("label")
	m.element("label", "Rules", "class", "hidden", "for", "rules")
	m.element("textarea", "", "id", "rules", "readonly", bare, "rows", "10", "spellcheck", "false")
	m.close("details")
	m.element("button", "Copy", "type", "button", "id", "copy")
	m.closeBlock("aside")
}

// markup writes HTML. It escapes every text and every value of an attribute; names of elements and
// attributes are constants of this package. (The templates of the standard library would keep the
// linker from leaving anything out of the binary.)
type markup struct{ *bufio.Writer }

// open begins an element. attributes are alternating names and values; the value bare stands for an
// attribute without a value, and an attribute with the value omitted is left out.
func (m markup) open(element string, attributes ...string) {
	m.WriteString("<" + element)
	for i := 0; i+1 < len(attributes); i += 2 {
		switch name, value := attributes[i], attributes[i+1]; value {
		case omitted:
		case bare:
			m.WriteString(" " + name)
		default:
			m.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
		}
	}
	m.WriteString(">")
}

// bare and omitted cannot occur in visible text.
const bare, omitted = "\x01", "\x00"

// attributeIf returns bare or omitted.
func attributeIf(attribute bool) string {
	if attribute {
		return bare
	}
	return omitted
}

func (m markup) close(element string) { m.WriteString("</" + element + ">") }

// closeBlock closes a block element, and ends the line.
func (m markup) closeBlock(element string) { m.WriteString("</" + element + ">\n") }

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

// locationText returns a file and a line, after a space.
func locationText(file string, line int) string {
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
	m.closeBlock("tr")
	for _, s := range r.Steps {
		m.open("tr")
		for _, cell := range [...]string{strconv.Itoa(s.Number), strconv.Itoa(s.Wave), s.Action, s.subject()} {
			m.element("td", cell)
		}
		m.closeBlock("tr")
	}
	m.closeBlock("table")
}
