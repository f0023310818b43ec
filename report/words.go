package report

import (
	"strings"
	"unicode"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// maxLine is how much of a line is shown, in bytes.
const maxLine = 1000

// Part is a stretch of a line, or of several.
type Part struct {
	Text string
	// Changed says that the other version has something else.
	Changed bool
}

// words are two lines in parts, of which those that the other line lacks are changed.
func words(a, b string) (ofA, ofB []Part) {
	if len(a) > maxLine || len(b) > maxLine {
		return []Part{{wording.CutMiddle(a, maxLine), true}}, []Part{{wording.CutMiddle(b, maxLine), true}}
	}
	x, y := split(a), split(b)
	match := align.Lines(x, y)
	kept := make([]bool, len(y))
	for i, j := range match {
		ofA = appendPart(ofA, x[i], j < 0)
		if j >= 0 {
			kept[j] = true
		}
	}
	for j, word := range y {
		ofB = appendPart(ofB, word, !kept[j])
	}
	return ofA, ofB
}

// appendPart appends a word to the last part, if that is changed or not like it.
func appendPart(parts []Part, word string, changed bool) []Part {
	if last := len(parts) - 1; last >= 0 && parts[last].Changed == changed {
		parts[last].Text += word
		return parts
	}
	return append(parts, Part{word, changed})
}

// split divides a line into words, spaces, and what is neither.
func split(line string) []string {
	var out []string
	for line != "" {
		end := len(line) - len(strings.TrimLeftFunc(line, isWord))
		if end == 0 {
			end = len(line) - len(strings.TrimLeft(line, " "))
		}
		if end == 0 {
			end = wording.RuneAfter(line, 1)
		}
		out = append(out, line[:end])
		line = line[end:]
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
