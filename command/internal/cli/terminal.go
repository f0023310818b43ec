package cli

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// data returns the way out for documents, patches and other data. It is stdout, and if that is a terminal, unseen characters
// are written as their numbers (rules/reports: unseen characters).
func (s streams) data() io.Writer { return dataOn(s.out) }

// dataOn is data for a stdout.
func dataOn(stdout io.Writer) io.Writer {
	if isTerminal(stdout) {
		return &terminal{to: stdout}
	}
	return stdout
}

// terminal is a terminal on which no text moves the cursor or changes the direction of writing.
type terminal struct {
	to io.Writer
	// rest is the start of a character, or of the end of a line, that ended the last text.
	rest []byte
}

// Write writes a part of a text.
func (t *terminal) Write(part []byte) (int, error) {
	text := slices.Concat(t.rest, part)
	end := len(text)
	start := end - 1
	for start > 0 && end-start < utf8.UTFMax && !utf8.RuneStart(text[start]) {
		start--
	}
	if start >= 0 && (!utf8.FullRune(text[start:]) || text[start] == '\r') {
		end = start
	}
	t.rest = text[end:]
	_, err := io.WriteString(t.to, wording.Visible(strings.ReplaceAll(string(text[:end]), "\r\n", "\n"), "\n\t"))
	return len(part), err
}
