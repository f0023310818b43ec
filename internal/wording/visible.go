package wording

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Say writes a line for a person to read. The texts of a package and of a remote may be in it:
// each character that cannot be seen is written as its number (design 19).
func Say(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, Visible(fmt.Sprintf(format, args...), "")+"\n") // nobody could be told that it failed
}

// Visible writes the characters of a text that cannot be seen as their numbers, but for those
// of keep: control characters, line breaks, characters that turn the direction of writing, and
// bytes that are no UTF-8.
func Visible(text, keep string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return IsUnseen(r, keep) }) {
		return text
	}
	var b strings.Builder
	for at, width := 0, 0; at < len(text); at += width {
		var r rune
		switch r, width = utf8.DecodeRuneInString(text[at:]); {
		case !IsUnseen(r, keep):
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

// IsUnseen reports whether a character shows nothing or alters what is around it, and is none
// of keep. A byte that is no UTF-8 counts.
func IsUnseen(r rune, keep string) bool {
	return (r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.In(r, unicode.Zl, unicode.Zp)) && !strings.ContainsRune(keep, r)
}
