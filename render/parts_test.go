package render

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestRandomParts finds local's parts for the random ones of both versions. The values are lists of words.
func TestRandomParts(t *testing.T) {
	list := func(words string) *yaml.Node {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, word := range strings.Fields(words) {
			n.Content = append(n.Content, yamlnode.String(word))
		}
		return n
	}
	text := func(words string) *yaml.Node { return yamlnode.String(strings.ReplaceAll(words, " ", "\n") + "\n") }
	for name, test := range map[string]struct{ o1, o2, u1, u2, l, o, u string }{
		"same length":       {"a r1 b", "a r2 b", "a b r3", "a b r4", "a mine c", "a mine b", "a b mine"},
		"two":               {"r1 a r2", "r3 a r4", "x r5 a r6", "x r7 a r8", "p a q", "p a q", "x p a q"},
		"local has more":    {"a r1 b", "a r2 b", "a r3 b", "a r4 b", "x a mine b", "a mine b", "a mine b"},
		"by the one after":  {"r1 b", "r2 b", "r3 b", "r4 b", "x mine b", "mine b", "mine b"},
		"no such neighbour": {"a r1 b", "a r2 b", "a r3 b", "a r4 b", "x y", "", ""},
		"two neighbours":    {"a r1 b", "a r2 b", "a r3 b", "a r4 b", "a x b a y b", "", ""},
		"more in upstream":  {"a r1", "a r2", "r3 r4", "r5 r6", "a mine", "", ""},
		"another length":    {"a r1", "a r2 x", "a r3", "a r4", "a mine", "", ""},
		"one part":          {"r1", "r2", "r3", "r4", "mine", "", ""},
	} {
		for kind, value := range map[string]func(string) *yaml.Node{"list": list, "text": text} {
			o, ok := newParted(value(test.o1), value(test.o2))
			u, also := newParted(value(test.u1), value(test.u2))
			ok = ok && also && withLocals(o, u, value(test.l))
			if ok != (test.o != "") {
				t.Errorf("%s of a %s: %v", name, kind, ok)
			}
			if ok && (words(o.whole()) != test.o || words(u.whole()) != test.u) {
				t.Errorf("%s of a %s: %s, %s; want %s, %s", name, kind, words(o.whole()), words(u.whole()), test.o, test.u)
			}
		}
	}
}

func words(n *yaml.Node) string {
	var all []string
	for _, part := range partsOf(n) {
		all = append(all, strings.TrimSpace(part.Value))
	}
	return strings.Join(all, " ")
}
