package report

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// visible is a text of a package on one line, as every format may write it: each
// character that cannot be seen is written as its number, among them control
// characters, line breaks, and those that turn the direction of writing (design 19).
func visible(text string) string { return wording.Visible(text, "") }

// visibleLines is visible for a text that may have several lines.
func visibleLines(text string) string {
	return wording.Visible(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// sentenceOf is visible for a message, in which quoted values have some characters as
// Go writes them: \x1b.
func sentenceOf(message string) string {
	var b strings.Builder
	for text := visible(message); ; {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte('\\')
		switch {
		case strings.HasPrefix(after, "x"):
			b.WriteString("u00")
			after = after[1:]
		case after != "":
			b.WriteByte(after[0])
			after = after[1:]
		}
		text = after
	}
}

// escapedJSON writes the unseen characters of a JSON text, which are all in its
// strings, as JSON does.
func escapedJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !wording.IsUnseen(r, "\n"):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
