package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The texts of KYAML, the form of flow style that kubectl writes.

// textKYAML writes a text in double quotes. One of several lines has a line for each,
// as the continued line of one string: it begins with a space, or with a backslash where
// the text has white space there, and ends with a line break that is escaped and one that
// is not.
func (w *flowWriter) textKYAML(s, margin string) {
	if !strings.Contains(s, "\n") || w.unit == "" || w.unfolded {
		w.text(quotedKYAML(s))
		return
	}
	margin += w.unit
	w.text(`"\` + w.eol)
	for line := range strings.Lines(s) {
		first := " "
		if line[0] == ' ' || line[0] == '\t' {
			first = `\`
		}
		w.text(margin + first + escapedKYAML(line) + `\` + w.eol)
	}
	w.text(margin + `"`)
}

func quotedKYAML(s string) string { return `"` + escapedKYAML(s) + `"` }

// escapedKYAML is a text as it stands in double quotes: what can be seen as it is, tabs too.
func escapedKYAML(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		case escapesKYAML()[r] != 0:
			b.WriteRune('\\')
			b.WriteByte(escapesKYAML()[r])
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// escapesKYAML are the characters that have an escape of one letter.
func escapesKYAML() map[rune]byte {
	return map[rune]byte{
		'\a': 'a', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\v': 'v', 0: '0', 0x1b: 'e', 0x85: 'N', 0xa0: '_', '\u2028': 'L', '\u2029': 'P',
	}
}

// isPlainKey reports whether KYAML has a key without quotes: it has letters, digits and
// underscores, within it dashes, dots and slashes, and no parser takes it for anything else
// than a text.
func isPlainKey(s string) bool {
	for i, r := range s {
		inside := i > 0 && i < len(s)-1 && (r == '-' || r == '.' || r == '/')
		if !inside && r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "null", "y", "yes", "on", "n", "no", "off":
		return false
	}
	digits := strings.ReplaceAll(s, "_", "")
	_, notBool := strconv.ParseBool(s)
	_, notInt := strconv.ParseInt(digits, 0, 64)
	_, notFloat := strconv.ParseFloat(digits, 64)
	_, notDate := time.Parse("2006-1-2", s)
	return notBool != nil && notInt != nil && notFloat != nil && notDate != nil
}
