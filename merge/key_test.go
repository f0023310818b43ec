package merge

import "testing"

// TestSetKey: an element of a set is its own key, by value. A path shows a scalar as it is written, and any other
// element as its canonical text.
func TestSetKey(t *testing.T) {
	for _, tt := range []struct {
		a, b, shown string
		same        bool
	}{
		{"a", "'a'", "a", true},
		{"0x1F", "31", "0x1F", true},
		{"80", "'80'", "80", false},
		{"{a: b, c: d}", "{c: d, a: 'b'}", "", true},
		{"{a: b}", "{a: c}", "", false},
		{"[a, b]", "[b, a]", "", false},
		{"~", "null", "~", true},
	} {
		a, b := parse(t, tt.a), parse(t, tt.b)
		x, hasX := setKey(a)
		y, hasY := setKey(b)
		if !hasX || !hasY || (x.text == y.text) != tt.same {
			t.Errorf("%s and %s: %q and %q", tt.a, tt.b, x.text, y.text)
		}
		if shown := x.parts[0].Value; tt.shown != "" && shown != a || tt.shown == "" && shown.Value != x.text {
			t.Errorf("%s shows as %q", tt.a, shown.Value)
		}
	}
}
