package stream_test

import (
	"testing"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// TestLinesKeepTheirEnds: a line that a file had keeps its line end, and a new line gets that of the first line.
func TestLinesKeepTheirEnds(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a\nb\n", "a\nc\nb\n", "a\nc\nb\n"},
		{"a\r\nb\r\n", "a\nc\nb", "a\r\nc\r\nb"},
		{"a\r\nb\nb\r\n", "new\na\nb\nb\nb\n", "new\r\na\r\nb\nb\r\nb\r\n"},
		{"a\nb\r\n", "b\nnew\n", "b\r\nnew\n"},
		{"\uFEFFa\r\nb", "a\nb\n", "\uFEFFa\r\nb\r\n"},
		{"\uFEFFa", "b\nc\n", "\uFEFFb\nc\n"},
		{"a\rb\r\nc\r", "a\rb\nc\r", "a\rb\r\nc\r"},
		{"a\r\r\nb\r\n", "a\r\nb\n", "a\r\r\nb\r\n"},
		{"a\r\r\nb\n", "a\r\nb\n", "a\r\r\nb\n"},
	} {
		_, e := stream.Decode([]byte(c.file))
		if got := string(e.Encode([]byte(c.text))); got != c.want {
			t.Errorf("%q with the text %q is %q, not %q", c.file, c.text, got, c.want)
		}
	}
}
