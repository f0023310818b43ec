package manifest

import (
	"fmt"

	"github.com/resource-merge/resource-merge/internal/parts"
)

// CheckEdit reads text again, the edited text of a result, and returns its fault, "" if it has none. again reports
// whether Edit itself had to read it.
func CheckEdit(l, u *Text, part Part, text []byte) (wrong string, again bool) {
	e := editor{text: l, left: floats(l.top, l.bytes)}
	if f := e.check(text, &part); !f.right {
		wrong = fmt.Sprintf("%+v", f)
	}
	if first := (&editor{base: parts.Local, text: l, other: u}); len(l.top.entries) > 0 {
		first.run(&part)
		again = first.doubt
	}
	return wrong, again
}

// Diff counts the removed and the added lines.
func Diff(was, is []byte) (gone, come int) { return diff(was, is) }
