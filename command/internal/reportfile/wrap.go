package reportfile

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/resource-merge/resource-merge/report"
)

// writeText writes a report to a standard stream. If that is a terminal, the lines of a text end at its width
// (rules/reports: formats).
func writeText(f report.Format, to io.Writer, r *report.Report) error {
	width := 0
	if file, is := to.(*os.File); is && f.Name == "text" {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil { // it is a terminal
			width = columns
		}
	}
	if width == 0 {
		return f.Write(to, r)
	}
	var text bytes.Buffer
	if err := f.Write(&text, r); err != nil {
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(text.String()) {
		wrap(&b, line, width)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// wrap writes a line, broken at spaces where it would be wider than a terminal. What follows is indented deeper than the line.
// A word that is wider stays whole, to be copied.
func wrap(b *strings.Builder, line string, width int) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	room := width - indent
	b.WriteString(line[:indent])
	for lead := strings.Repeat(" ", indent+2); utf8.RuneCountInString(strings.TrimSuffix(text, "\n")) > room; room = width - indent - 2 {
		end := 0
		for at, count := 0, 0; at < len(text) && (count <= room || end == 0); count++ {
			if text[at] == ' ' && at > 0 {
				end = at
			}
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		if end == 0 {
			break
		}
		b.WriteString(strings.TrimRight(text[:end], " ") + "\n" + lead)
		text = strings.TrimLeft(text[end:], " ")
	}
	b.WriteString(text)
}
