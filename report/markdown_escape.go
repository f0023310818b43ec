package report

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// maxCell is how much of a value stands in a cell of a table.
const maxCell = 1500

// code is a text of a package within Markdown, also within a table: as code, so that
// it is neither markup nor a mention of somebody.
func code(text string) string {
	if text != "" && !strings.ContainsAny(text, "`|<>&\\\n") && strings.TrimSpace(text) == text {
		return "`" + text + "`"
	}
	return "<code>" + entities(text) + "</code>"
}

// cell is a value in a cell of a table of HTML within Markdown. It stands on one line:
// an empty line would end the table.
func cell(v Value) string {
	switch {
	case !v.Present:
		return "<em>absent</em>"
	case v.Hidden:
		return "<em>hidden</em>"
	case !strings.Contains(v.Text, "\n"):
		return "<code>" + entities(wording.CutMiddle(v.Text, maxCell)) + "</code>"
	}
	return "<pre>" + entities(wording.CutMiddle(v.Text, maxCell)) + "</pre>"
}

// entities writes what may be markup, of HTML or of Markdown, by its number.
func entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || strings.ContainsRune("&<>\"'`|*_[]()\\~#!@:$^", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markdownText is a sentence with texts of packages in it.
func markdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@' || r == '#': // what is cut in two mentions nobody
			fmt.Fprintf(&b, "&#%d;<!-- -->", r)
		case strings.ContainsRune("&<>`|*_[]\\~!$^", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	// GitHub makes links of what looks like an address, even in the midst of words.
	return strings.NewReplacer("://", "&#58;//", "www.", "www&#46;").Replace(b.String())
}
