package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestLawElementsApart: changes of a list without keys that have an unchanged element between them are both taken,
// under every policy, for any elements, and for replaced, removed and added ones.
func TestLawElementsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists [3][]*yaml.Node
		var want []*yaml.Node
		element := drawnElement(t)
		add := func(to *[]*yaml.Node, nodes ...*yaml.Node) { *to = append(*to, nodes...) }
		n := 0
		next := func() *yaml.Node { n++; return element(n) }
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			side := rapid.SampledFrom([]int{int(upstream), int(local)}).Draw(t, "side")
			var gone, came []*yaml.Node
			for range rapid.IntRange(0, 2).Draw(t, "gone") {
				gone = append(gone, next())
			}
			for range rapid.IntRange(0, 2).Draw(t, "came") {
				came = append(came, next())
			}
			kept := next()
			for s := range lists {
				if s == side {
					add(&lists[s], came...)
				} else {
					add(&lists[s], gone...)
				}
				add(&lists[s], kept)
			}
			add(&want, append(slices.Clone(came), kept)...)
		}
		var versions [3]*yaml.Node
		for s, list := range lists {
			versions[s] = podWithArgs(list)
		}
		kind := schema.New(nil, nil, true).Resource("example.com", "v1", "Thing")
		for _, p := range []Preference{PreferUpstream, PreferLocal, PreferUnion, PreferFail, MarkUpstream, MarkLocal} {
			out, err := Resource(versions, kind, Prefer(p))
			if err != nil {
				t.Fatal(err)
			}
			got := out.Node
			if out.Verdict == TakeLocal {
				got = versions[local]
			}
			if out.Verdict == TakeUpstream {
				got = versions[upstream]
			}
			if len(out.Conflicts) > 0 || !Same(got, podWithArgs(want)) {
				t.Fatalf("policy %d: %d conflicts, %s\nwant %s\nof %s\n%s\n%s", p, len(out.Conflicts), canonical(got), canonical(podWithArgs(want)),
					canonical(versions[origin]), canonical(versions[upstream]), canonical(versions[local]))
			}
		}
	})
}

// drawnElement draws the form of a list's elements: words, or maps without a key.
func drawnElement(t *rapid.T) func(int) *yaml.Node {
	form := rapid.SampledFrom([]string{"--flag=%d", "{apiGroups: [g%d], verbs: [get]}", "[%d]"}).Draw(t, "form")
	return func(n int) *yaml.Node { return parseNode(fmt.Sprintf(form, n)) }
}

func parseNode(text string) *yaml.Node {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		panic(err)
	}
	return n.Content[0]
}

func podWithArgs(list []*yaml.Node) *yaml.Node {
	n := parseNode("{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, spec: {list: []}}")
	n.Content[7].Content[1].Content = list
	return n
}

// TestLawLinesAgain: a text that is merged again with the same origin and upstream stays, whichever side won the
// collisions, even if lines and whole blocks of a template repeat.
func TestLawLinesAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.SampledFrom([]string{
			"{{- if .x }}\nx: 1\n{{- end }}\n", "{{- if .y }}\ny: 1\n{{- end }}\n", "{{- if .z }}\n", "{{- end }}\n", "a: 1\n", "b: 1\n", "\n",
		})
		o := rapid.SliceOfN(block, 0, 8).Draw(t, "origin")
		texts := [3]string{origin: strings.Join(o, "")}
		for _, side := range [2]identity.Side{upstream, local} {
			changed := slices.Clone(o)
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				at := rapid.IntRange(0, len(changed)).Draw(t, "at")
				if at == len(changed) || rapid.Bool().Draw(t, "adds") {
					changed = slices.Insert(changed, at, block.Draw(t, "added"))
				} else {
					changed = slices.Delete(changed, at, at+1)
				}
			}
			texts[side] = strings.Join(changed, "")
		}
		for _, side := range [2]identity.Side{upstream, local} {
			m := linesMerge{chosen: func() identity.Side { return side }}
			first, _ := m.merged(texts)
			again, _ := m.merged([3]string{origin: texts[origin], upstream: texts[upstream], local: first})
			if first != again {
				t.Fatalf("%s:\n--- origin\n%s--- upstream\n%s--- local\n%s--- merged\n%s--- again\n%s",
					side, texts[origin], texts[upstream], texts[local], first, again)
			}
		}
	})
}
