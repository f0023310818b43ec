package wording

import (
	"fmt"
	"strings"
)

// MarkdownCode formats a text as Markdown code, also within a table, so that it is neither markup nor a
// mention of somebody.
func MarkdownCode(text string) string {
	if text != "" && !strings.ContainsAny(text, "`|<>&\\\n") && strings.TrimSpace(text) == text {
		return "`" + text + "`"
	}
	return "<code>" + Entities(text) + "</code>"
}

// Entities escapes characters that HTML or Markdown may read as markup.
func Entities(text string) string {
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

// MarkdownText escapes a sentence that contains texts of packages.
func MarkdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '@' || r == '#': // a name that is cut in two mentions nobody
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
