package config

import (
	"strings"
	"testing"
)

// The error of a file that is no config shows none of its text, and no error shows a password of a URL.
func TestErrorsShowNoFile(t *testing.T) {
	for _, text := range []string{
		"hush\n", "-----BEGIN HUSH-----\nhush\n-----END HUSH-----\n", "'hush'\n", "|\n  hush\n", "machine a login b password hush\n", "12345hush\n",
		"- hush\n", "- [hush]\n", "[hush, hush]\n", "- &a hush\n- *a\n", "- prefer: local\n- hush\n",
		"*hush\n", "- *hush\n", "a: *hush\n", "&hush [*hush]\n", "%hush\n---\n", "!hush hush\n", "a: [\n", "hush\n---\nhush\n", "\thush\n", "\"hush\\q\"\n",
		"upstream: {source: 'https://a:hush@example.com/b', version: v1}\n", "upstream: 'https://a:hush@example.com/{version}'\n",
		"kind: https://a:hush@example.com\n", "conflicts: {prefer: 'https://a:hush@example.com'}\n",
	} {
		if _, err := ReadText("f", []byte(text)); err == nil || strings.Contains(strings.ToLower(err.Error()), "hush") {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := ReadUpstream([]byte(text)); err != nil && strings.Contains(strings.ToLower(err.Error()), "hush") {
			t.Errorf("%q: upstream: %v", text, err)
		}
		for name, edit := range map[string]func() ([]byte, error){
			"upstream": func() ([]byte, error) {
				return WithUpstream([]byte(text), Upstream{Source: "a/{version}", Version: "v1"})
			},
			"learned": func() ([]byte, error) { return WithLearned("f", []byte(text), "- prefer: local\n") },
			"rule":    func() ([]byte, error) { return AddRule("f", []byte(text), "prefer: local\n") },
		} {
			if _, err := edit(); err != nil && strings.Contains(strings.ToLower(err.Error()), "hush") {
				t.Errorf("%q: %s: %v", text, name, err)
			}
		}
	}
}
