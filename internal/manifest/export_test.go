package manifest

import (
	"bytes"
	"fmt"

	"github.com/resource-merge/resource-merge/internal/parts"
)

// CheckEdit reads text again, the edited text of a result, and returns its fault, "" if it has none. again reports
// whether Edit itself had to read it.
func CheckEdit(l, u *Text, part Part, text []byte) (wrong string, again bool) {
	e := editor{text: l, left: append(floats(l.top, l.bytes), indented(u.top, u.bytes)...)}
	if f := e.check(text, &part); !f.right {
		wrong = fmt.Sprintf("%+v", f)
	}
	if first := (&editor{base: parts.Local, text: l, other: u}); len(l.top.entries) > 0 {
		first.run(&part)
		again = first.doubt
	}
	return wrong, again
}

// indented returns the comment lines above entries that are in a deeper column, and so may belong to the field above, or to
// the end of the map or list in it.
func indented(p *place, text []byte) (out []string) {
	for i := range p.entries {
		e, from := &p.entries[i], 0
		for above := p.entries[:i]; len(above) > 0; above = above[len(above)-1].value.entries {
			from = above[len(above)-1].end
		}
		if i == 0 {
			from = e.float
		}
		for line := range bytes.Lines(text[from:max(from, lineStart(text, e.start))]) {
			if words := bytes.TrimSpace(line); p.form == block && len(words) > 0 && bytes.IndexByte(line, words[0]) > p.column {
				out = append(out, string(words))
			}
		}
		out = append(out, indented(e.value, text)...)
	}
	return out
}

// Diff counts the removed and the added lines.
func Diff(was, is []byte) (gone, come int) { return diff(was, is) }
