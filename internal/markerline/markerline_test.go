package markerline_test

import (
	"testing"

	"github.com/resource-merge/resource-merge/internal/markerline"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string]struct {
		mark   byte
		length int
		label  string
	}{
		"<<<<<<< local\n":  {'<', 7, "local"},
		"=======\r\n":      {'=', 7, ""},
		"||||||||| base":   {'|', 9, "base"},
		">>>>>>> a b\n":    {'>', 7, "a b"},
		"<<<<<<<local\n":   {},
		" <<<<<<< local\n": {},
		"a: b\n":           {},
		"":                 {},
	} {
		mark, length, label := markerline.Split([]byte(line))
		if mark != want.mark || length != want.length || label != want.label {
			t.Errorf("%q: got %q, %d, %q", line, mark, length, label)
		}
	}
}

func TestFirst(t *testing.T) {
	for text, want := range map[string]int{
		"a: 1\n<<<<<<< local\n":   2,
		"a: 1\nb: 2\n>>>>>>> u\n": 3,
		"Title\n=======\n":        0,
		"a: |\n  <<<<<<< x\n":     0,
		"":                        0,
	} {
		if got := markerline.First([]byte(text)); got != want {
			t.Errorf("%q: got line %d, want %d", text, got, want)
		}
	}
}
