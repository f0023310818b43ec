package report

import (
	"bufio"
	"fmt"
	"html"
)

// markup writes HTML. Every text and every value of an attribute goes through it and is
// escaped; names of elements and attributes are this package's own. (The templates of
// the standard library would keep the linker from leaving anything out of the binary.)
type markup struct{ *bufio.Writer }

// open begins an element. attributes are names and values in turn; the value yes is that
// of an attribute without one, and an attribute whose value is no is left out.
func (m markup) open(element string, attributes ...string) {
	m.WriteString("<" + element)
	for i := 0; i+1 < len(attributes); i += 2 {
		switch name, value := attributes[i], attributes[i+1]; value {
		case no:
		case yes:
			m.WriteString(" " + name)
		default:
			m.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
		}
	}
	m.WriteString(">")
}

// yes and no are no text that may be seen.
const yes, no = "\x01", "\x00"

// has is yes or no.
func has(attribute bool) string {
	if attribute {
		return yes
	}
	return no
}

func (m markup) close(element string) { m.WriteString("</" + element + ">") }

// end closes an element that is a block, and ends the line.
func (m markup) end(element string) { m.WriteString("</" + element + ">\n") }

// text writes a text.
func (m markup) text(text string) { m.WriteString(html.EscapeString(text)) }

// element writes an element that has only text.
func (m markup) element(element, text string, attributes ...string) {
	m.open(element, attributes...)
	m.text(text)
	m.close(element)
}

// pre writes a text of several lines. A browser drops the first line break.
func (m markup) pre(parts []Part, mark string, attributes ...string) {
	m.open("pre", attributes...)
	m.WriteByte('\n')
	for _, p := range parts {
		if p.Changed {
			m.element(mark, p.Text)
		} else {
			m.text(p.Text)
		}
	}
	m.close("pre")
}

// placed is a file and a line, after a space.
func placed(file string, line int) string {
	if line == 0 {
		return " " + file
	}
	return fmt.Sprintf(" %s:%d", file, line)
}
