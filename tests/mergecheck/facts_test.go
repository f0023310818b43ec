package mergecheck

import (
	"testing"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Images count as a name and a tag, quantities as amounts, merged strings as
// lines, and a plain yes is not "yes".
func TestCheckCountsParts(t *testing.T) {
	for _, tt := range []struct{ name, o, u, l, result, want string }{
		{"image in parts", "image: a:1", "image: a:2", "image: h:5/a:1", "image: h:5/a:2", ""},
		{"tag lost", "image: a:1", "image: a:2", "image: m/a:1", "image: m/a:1", `the tag ":2" is lost`},
		{"name lost", "image: a:1", "image: a@sha256:ab", "image: m/a:1", "image: a@sha256:ab", `the name "m/a" is lost`},
		{"amount", "cpu: 1", "cpu: 1000m", "cpu: 1", "cpu: 1", ""},
		{"amount lost", "cpu: 1", "cpu: 1001m", "cpu: 1", "cpu: 1", "1001/1000\" is lost"},
		{"lines", `lines: "a\nb\nc\n"`, `lines: "A\nb\nc\n"`, `lines: "a\nb\nC\n"`, `lines: "A\nb\nC\n"`, ""},
		{"line lost", `lines: "a\nb\nc\n"`, `lines: "A\nb\nc\n"`, `lines: "a\nb\nC\n"`, `lines: "A\nb\nc\n"`, `the line "C\n" is lost`},
		{"line made up", `lines: "a\nb\nc\n"`, `lines: "A\nb\nc\n"`, `lines: "a\nb\nC\n"`, `lines: "A\nB\nC\n"`, `"B\n" is invented`},
		{"lines of elements", `lines: ["a\nb\nc\n", x]`, `lines: ["A\nb\nc\n", x]`, `lines: ["a\nb\nC\n", x]`, `lines: ["A\nb\nC\n", x]`, ""},
		{"lines in another element", `lines: ["a\n", x]`, `lines: ["A\n", x]`, `lines: ["a\n", x]`, `lines: [x, "A\n"]`, "is invented"},
		{"word", "a: yes", `a: "yes"`, "a: yes", "a: yes", `"yes" is lost`},
		{"key that is a word", "yes: 1", `"yes": 2`, "yes: 1", `yes: 2`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, tt.o, tt.u, tt.l, tt.result)
			m.Lines = []string{"lines"}
			m.Scalars = func(path []string) schema.Scalar {
				if len(path) == 0 {
					return schema.Opaque
				}
				return map[string]schema.Scalar{"image": schema.Image, "cpu": schema.Quantity}[path[0]]
			}
			wants(t, m, tt.want)
		})
	}
}
