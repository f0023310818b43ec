package manifest

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// FuzzEdit: for any two texts and any decisions about them, the result reads as the decided values, or Edit returns
// an error.
func FuzzEdit(f *testing.F) {
	texts := []string{
		"a: 1\nb:\n  - x # c\n  -   y\n\n# h\nc: {d: e,  f: [1,2]} # l\n",
		"a:   2\nb:\n- x\n- z: |2\n    k\n  # t\nc:\n  d: >-\n    e\n    f\n  n: ''\nd: &x {k: v}\ne: *x\n",
		"{\"a\": 1, \"b\": [\"x\", {\"y\": null}],\n  \"c\": {}}\n",
		"{\n  \"a\": true,\n  \"b\": [\n    1\n  ]\n}\n",
		"? a\n: b\nc: !!str 5\r\nd:\r\n- - x\r\n  - \"y\r\n    z\"",
		"x: &b {p: 1, q: 2}\na:\n  <<: *b\n  q: 3\nb: [a, # c\n  b]\n",
		"a: |+\n  t\n\n\nb: # k\n  c:\n# z\n---\n",
		"- # c\n  a: 1\n",
		"{\n\t\"a\": 0x10,\n\t\"b\": [2020-01-01, {\"c\": 0644}]\n}",
		"{a: [x,\n  y], b: {c: 'd'},}",
		"  - a: yes\n    b: \"no\"\n    c:\n    - 1\n     # t\n    d: ~\n",
	}
	for i, text := range texts {
		f.Add([]byte(text), []byte(texts[(i+1)%len(texts)]), []byte{byte(7 * i), 3, 200})
		f.Add([]byte(text), []byte(text), []byte{byte(i), 90})
	}
	f.Add([]byte("- 0:\n"), []byte("- 0:\n"), []byte("0001")) // the decided item is {}
	f.Fuzz(func(t *testing.T, l, u, bits []byte) {
		for _, read := range [3]func([]byte) (*Text, error){Item, Document, flowText} {
			local, err := read(l)
			if err != nil {
				continue
			}
			upstream, err := Document(u)
			if err != nil {
				if upstream, err = Item(u); err != nil {
					continue
				}
			}
			if text, err := flowText(u); err == nil && local.inList {
				upstream = text
			}
			checkMix(t, local, upstream, bits)
		}
	})
}

func checkMix(t *testing.T, local, upstream *Text, bits []byte) {
	m := &mixer{bits: bits, budget: 5_000}
	if !isMergeable(local.root, 0) || !isMergeable(upstream.root, 0) {
		return
	}
	a, b := m.expanded(local.root, 0), m.expanded(upstream.root, 0)
	if m.budget < 0 || !isMergeable(a, 0) || !isMergeable(b, 0) {
		return
	}
	part := m.part(Entry{Value: a}, Entry{Value: b})
	out, _, err := Edit(local, upstream, part)
	if err != nil {
		return
	}
	read := Document
	switch {
	case local.item:
		read = Item
	case local.inList:
		read = flowText
	}
	got, err := read(out)
	if err != nil {
		t.Fatalf("%v\n%s\n--- upstream\n%s\n--- result\n%s", err, local.bytes, upstream.bytes, out)
	}
	if again := m.again(got.root); !sameValue(part.Value, again) && !(local.json && got.json && sameJSON(part.Value, again)) {
		want, _ := yaml.Marshal(part.Value)
		t.Fatalf("otherwise:\n%s\n--- upstream\n%s\n--- result\n%s\n--- want\n%s", local.bytes, upstream.bytes, out, want)
	}
}

// flowText reads an element of a list in brackets.
func flowText(text []byte) (*Text, error) { return Flow(text, "  ") }

// sameJSON is sameValue for values that JSON writes differently: numbers with a notation of YAML's own, and dates,
// which become texts.
func sameJSON(want, got *yaml.Node) bool {
	want, got = yamlnode.Resolve(want), yamlnode.Resolve(got)
	if want.Kind != yaml.ScalarNode || got.Kind != yaml.ScalarNode {
		if want.Kind != got.Kind || len(want.Content) != len(got.Content) {
			return false
		}
		for i := range want.Content {
			if !sameJSON(want.Content[i], got.Content[i]) {
				return false
			}
		}
		return true
	}
	if want.ShortTag() == "!!timestamp" {
		return got.Value == want.Value && got.ShortTag() == "!!str"
	}
	var a, b any
	if want.Decode(&a) != nil || got.Decode(&b) != nil {
		return sameScalar(want, got)
	}
	return fmt.Sprint(a) == fmt.Sprint(b) && (want.ShortTag() == "!!str") == (got.ShortTag() == "!!str")
}

// again is expanded with a new budget.
func (m *mixer) again(n *yaml.Node) *yaml.Node {
	m.budget = 100_000
	return m.expanded(n, 0)
}
