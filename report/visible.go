package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// visible is a text of a package on one line, as every format may write it: each
// character that cannot be seen is written as its number, among them control
// characters, line breaks, and those that turn the direction of writing (design 19).
func visible(text string) string { return escaped(text, "") }

// visibleLines is visible for a text that may have several lines.
func visibleLines(text string) string {
	return escaped(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
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

// escaped writes a text with the numbers of the characters that cannot be seen,
// but for those of keep.
func escaped(text, keep string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return isUnseen(r, keep) }) {
		return text
	}
	var b strings.Builder
	for at, width := 0, 0; at < len(text); at += width {
		var r rune
		switch r, width = utf8.DecodeRuneInString(text[at:]); {
		case !isUnseen(r, keep):
			b.WriteRune(r)
		case r == utf8.RuneError && width == 1: // a byte that is no UTF-8
			fmt.Fprintf(&b, `\u%04x`, text[at])
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isUnseen reports whether a character shows nothing or alters what is around it.
// What is no UTF-8 is among them.
func isUnseen(r rune, keep string) bool {
	return (r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.In(r, unicode.Zl, unicode.Zp)) && !strings.ContainsRune(keep, r)
}

// escapedJSON writes the unseen characters of a JSON text, which are all in its
// strings, as JSON does.
func escapedJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !isUnseen(r, "\n"):
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
