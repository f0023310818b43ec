package reportfile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	for line, want := range map[string]string{
		"changed  Deployment web  apps/web.yaml\n":     "changed  Deployment\n  web  apps/web.yaml\n",
		"  local    a-value-that-is-too-long-for-it\n": "  local\n    a-value-that-is-too-long-for-it\n",
		"a-value-that-is-too-long-for-it b\n":          "a-value-that-is-too-long-for-it\n  b\n",
		"origin   eins zwei drü\n":                     "origin   eins zwei\n  drü\n",
		"origin   zwölf Wörter\n":                      "origin   zwölf Wörter\n",
		"\n":                                           "\n",
	} {
		var b strings.Builder
		if wrap(&b, line, 21); b.String() != want {
			t.Errorf("%q: %q, want %q", line, b.String(), want)
		}
	}
}

// TestWrapKeepsWords draws lines: no word is lost, and no line is too wide that has a space to break at.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`( {0,4}[a-zö]{1,12}){1,12}`).Draw(t, "line") + "\n"
		width := rapid.IntRange(8, 40).Draw(t, "width")
		var b strings.Builder
		wrap(&b, line, width)
		if was, is := strings.Fields(line), strings.Fields(b.String()); strings.Join(was, " ") != strings.Join(is, " ") {
			t.Fatalf("%q became %q", line, b.String())
		}
		for text := range strings.Lines(b.String()) {
			text = strings.TrimSuffix(text, "\n")
			if utf8.RuneCountInString(text) > width && strings.Contains(strings.TrimLeft(text, " "), " ") {
				t.Fatalf("%q is wider than %d", text, width)
			}
		}
	})
}
