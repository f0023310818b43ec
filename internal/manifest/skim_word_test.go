package manifest

import (
	"bytes"
	"testing"
)

// TestIsCleanWord has every byte at every index of a word.
func TestIsCleanWord(t *testing.T) {
	for c := range 256 {
		for at := range 24 {
			for _, fill := range []byte("a \n~") {
				text := bytes.Repeat([]byte{fill}, 24)
				text[at] = byte(c)
				want := c == '\n' || c == '\t' || ' ' <= c && c < 0x7f
				if got := isClean(text); got != want {
					t.Fatalf("%q: %v", text, got)
				}
			}
		}
	}
}
