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
	"strings"
)

// pageTemplate is the page with {{parts}}. An indented line of it continues the line above.
//
//go:embed page/page.html
var pageTemplate string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

// writeHTML writes the report as one page to read and to decide conflicts in (rules/reports: the page).
// It loads nothing, and is readable without its script.
func writeHTML(w io.Writer, r *Report) error {
	m := markup{bufio.NewWriter(w)}
	rest := strings.ReplaceAll(pageTemplate, "\n  ", "")
	for found := true; found; {
		var text, part string
		text, rest, found = strings.Cut(rest, "{{")
		m.WriteString(text)
		part, rest, _ = strings.Cut(rest, "}}")
		if err := m.part(part, r); err != nil {
			return err
		}
	}
	return m.Flush()
}

func (m markup) part(name string, r *Report) error {
	switch name {
	case "policy":
		m.printf("%s", contentPolicy())
	case "title":
		m.printf("%s", r.title())
	case "style":
		m.WriteString(pageStyle)
	case "script":
		m.WriteString(pageScript)
	case "summary":
		class := "summary"
		if r.Summary.Failed {
			class = "summary failed"
		}
		m.printf(`<p class="%s">%s</p>`, class, r.Summary.Message)
		m.causes(r.causes())
		m.counts(r)
	case "next":
		m.printf("%s", r.nextStep())
	case "steps":
		m.steps(r)
	case "kinds":
		m.kinds(r)
	case "resources":
		return m.resources(r)
	case "notices":
		m.notices(r.others())
	}
	return nil
}

// causes writes the files that cannot be read.
func (m markup) causes(notices []Notice) {
	if len(notices) == 0 {
		return
	}
	m.WriteString(`<ul class="notices">`)
	for _, n := range notices {
		m.printf(`<li><span class="%s">%s</span> %s</li>`+"\n", n.Severity, n.Severity, n.Message)
	}
	m.WriteString("</ul>\n")
}

// counts writes the numbers of the summary that are not 0.
func (m markup) counts(r *Report) {
	s, labels := r.Summary, [...]string{"conflict", "changed", "added", "deleted", "unchanged"}
	if r.steps != nil {
		labels[1], labels[2] = "updated", "created"
	}
	m.WriteString(`<ul class="counts">`)
	for i, n := range [...]int{s.Conflicts, s.Changed, s.Added, s.Deleted, s.Unchanged} {
		label := labels[i]
		if i == 0 && n > 1 {
			label += "s"
		}
		if n > 0 {
			m.printf(`<li class="count %s-count"><span>%s</span> %s</li>`, labels[i], strconv.Itoa(n), label)
		}
	}
	m.WriteString("</ul>")
}

// nextStep returns the comment above the rules that the page offers: the command that merges again.
func (r *Report) nextStep() string {
	if r.command == "" {
		return "# Save this file, and merge again with --config and its name.\n"
	}
	return "# Save this file as rules.yaml, and merge again:\n# " + r.command + " --config rules.yaml\n"
}

// contentPolicy allows the page its own style and script and nothing else.
func contentPolicy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) + "; base-uri 'none'; form-action 'none'"
}

// markup writes HTML.
type markup struct{ *bufio.Writer }

// printf writes HTML with escaped texts; the formats are constants of this package. (The templates of
// the standard library would keep the linker from leaving anything out of the binary.)
func (m markup) printf(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(m, format, escaped...)
}

// pre writes a text of several lines; attributes are HTML. A browser drops the first line break.
func (m markup) pre(parts []part, mark, attributes string) {
	m.WriteString("<pre" + attributes + ">\n")
	m.parts(parts, mark)
	m.WriteString("</pre>")
}

// parts writes the parts of a text, the changed ones in elements named mark.
func (m markup) parts(parts []part, mark string) {
	for _, p := range parts {
		if p.changed {
			m.printf("<"+mark+">%s</"+mark+">", p.text)
		} else {
			m.printf("%s", p.text)
		}
	}
}

// kinds writes an option for each kind of resources.
func (m markup) kinds(r *Report) {
	var kinds []string
	for _, it := range r.Resources {
		kinds = append(kinds, it.Kind)
	}
	slices.Sort(kinds)
	for _, kind := range slices.Compact(kinds) {
		name := kind
		if kind == "" {
			name = "(a file)"
		}
		m.printf(`<option value="%s">%s</option>`, kind, name)
	}
}

func (m markup) notices(notices []Notice) {
	if len(notices) == 0 {
		return
	}
	m.WriteString(`<h2>Notices</h2><ul class="notices">`)
	for _, n := range notices {
		m.printf(`<li><span class="%s">%s</span> %s`, n.Severity, n.Severity, n.Message)
		if n.File != "" {
			m.printf(`<span class="place"> %s</span>`, fileAndLine(n.File, n.Line))
		}
		m.WriteString("</li>\n")
	}
	m.WriteString("</ul>\n")
}

// steps writes the steps of an apply as a table.
func (m markup) steps(r *Report) {
	if len(r.steps) == 0 {
		return
	}
	m.WriteString(`<h2>Steps</h2><table class="steps"><tr>`)
	for _, title := range [...]string{"Step", "Wave", "Action", "Object"} {
		m.printf(`<th scope="col">%s</th>`, title)
	}
	m.WriteString("</tr>\n")
	for _, s := range r.steps {
		m.printf("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", strconv.Itoa(s.Number), numberText(s.Wave), s.Action, s.subject())
	}
	m.WriteString("</table>\n")
}
