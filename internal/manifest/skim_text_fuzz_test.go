package manifest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// textStyles returns the beginnings of a text of several lines.
func textStyles() []string {
	return []string{"|\n", "|-\n", "|+\n", ">\n", ">-\n", ">+\n", "|2\n", ">1-\n", "'", `"`, "\n", "", "[", "{a: ", "# b\n"}
}

// textEnds returns the endings of such a text, by its style.
func textEnds(style string) string {
	switch style {
	case "'", `"`:
		return style
	case "[":
		return "]"
	case "{a: ":
		return "}"
	}
	return ""
}

// inStyle returns an item with a text in a style, each of its lines after the first indented, as a field and as an
// element.
func inStyle(style uint8, indent uint8, body string) (field, element string) {
	begin := textStyles()[int(style)%len(textStyles())]
	in := strings.Repeat(" ", int(indent)%5)
	lines := strings.ReplaceAll(body, "\n", "\n   "+in) + textEnds(begin)
	if strings.HasSuffix(begin, "\n") {
		lines = "   " + in + lines
	}
	return "- kind: A\n  b:\n   text: " + begin + lines + "\n   c: d\n  e: f\n",
		"- kind: A\n  b:\n  - " + begin + lines + "\n  - d\n  e: f\n"
}

func checkText(t rapid.TB, style, indent uint8, body string) {
	field, element := inStyle(style, indent, body)
	for _, text := range [2]string{field, element} {
		if strings.Contains(text, "\n---") || strings.Contains(text, "\n...") {
			continue
		}
		check(t, text, 0)
		checkTree(t, text)
	}
}

// FuzzText compares the readings of texts of several lines, in every style, with the parser's.
func FuzzText(f *testing.F) {
	for style := range textStyles() {
		for _, body := range []string{"a", "!", "a\nb", "a\n\n b\n\nc\n", "it''s\n# b", "a: b\n- c", "a\\\n b\\n\n", "a,\nb: 'c\nd'", "\n\na \n\t\n b"} {
			f.Add(uint8(style), uint8(1), body)
		}
	}
	f.Fuzz(func(t *testing.T, style, indent uint8, body string) { checkText(t, style, indent, body) })
}

// TestLawText is FuzzText with drawn texts.
func TestLawText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringOfN(rapid.SampledFrom([]rune("ab \n\n  '\"#:-,{}[]|>\\\té&*!?%@`0~n")), 1, 60, -1).Draw(t, "body")
		checkText(t, rapid.Uint8().Draw(t, "style"), rapid.Uint8().Draw(t, "indent"), body)
	})
}
