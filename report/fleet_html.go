package report

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// fleetStyle is the style of a fleet's page, after that of the page of one merge.
const fleetStyle = "section { margin: 1.5rem 0; } h2 { font-size: 1.1rem; overflow-wrap: anywhere; }\n" +
	".values { border-collapse: collapse; } .values th, .values td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; overflow-wrap: anywhere; }\n"

// writeHTML writes the fleet as one page that loads nothing: the summary, then each group of conflicts
// with the packages' values and the rule, then the failures.
func (f *Fleet) writeHTML(w io.Writer) error {
	m, style := markup{bufio.NewWriter(w)}, pageStyle+fleetStyle
	hash := sha256.Sum256([]byte(style))
	m.printf(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>%s</title>
`, base64.StdEncoding.EncodeToString(hash[:]), f.summary())
	m.WriteString("<style>" + style + "</style></head>\n<body><header><h1>Merges of a fleet</h1>")
	m.printf("<p class=\"summary\">%s</p></header>\n<main>\n", f.summary())
	for _, g := range f.groups {
		m.conflictGroup(g)
	}
	for _, failure := range f.failures {
		m.printf("<section><h2>%s failed</h2><p>%s</p><p>%s</p></section>\n", wording.Plural(len(failure.Packages), "package"), failure.Message, strings.Join(failure.Packages, ", "))
	}
	m.WriteString("</main></body>\n</html>\n")
	return m.Flush()
}

// conflictGroup writes equal conflicts of several packages.
func (m markup) conflictGroup(g *conflictGroup) {
	m.printf("<section><h2>%s: <code>%s</code></h2><p>%s: %s</p>\n<table class=\"values\">", wording.Plural(len(g.Packages), "package"), g.title(), g.Kind, g.outcome())
	row := func(side, value, packages string) {
		m.printf("<tr><th>%s</th><td><code>%s</code></td><td>%s</td></tr>\n", side, value, packages)
	}
	row("origin", g.Origin, "")
	row("upstream", g.Upstream, "")
	for _, l := range g.Locals {
		row("local", l.Value, strings.Join(l.Packages, ", "))
	}
	m.WriteString("</table>")
	if g.Rule != nil {
		m.printf("<p>This rule decides all of them for the other side:</p><pre>conflicts:\n  rules:\n  %s</pre>", g.Rule.yaml())
	}
	m.WriteString("</section>\n")
}
