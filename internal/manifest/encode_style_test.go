package manifest

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestQuoteKeepsWords: quotes around a plain `on` would make a text of a boolean for readers of YAML 1.1.
func TestQuoteKeepsWords(t *testing.T) {
	for _, test := range []struct {
		node   yaml.Node
		quotes bool
	}{
		{yaml.Node{Value: "on", Tag: "!!str"}, false},
		{yaml.Node{Value: "on", Tag: "!!str", Style: yaml.SingleQuotedStyle}, true},
		{yaml.Node{Value: "on", Tag: "!!str", Style: yaml.TaggedStyle}, true},
		{yaml.Node{Value: "once", Tag: "!!str"}, true},
		{yaml.Node{Value: "1", Tag: "!!int"}, false},
	} {
		n := test.node
		n.Kind = yaml.ScalarNode
		before := n
		changed := quote(&n)
		if want := test.quotes; changed != want || (n.Style&yaml.DoubleQuotedStyle != 0) != want {
			t.Errorf("%q in style %d: it became style %d, want quotes: %v", before.Value, before.Style, n.Style, want)
		}
		if !sameScalar(&before, &n) {
			t.Errorf("%q in style %d: its meaning changed", before.Value, before.Style)
		}
	}
}
