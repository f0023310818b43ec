package merge

import (
	"fmt"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestLawElementsApart: changes of a list without keys that have an unchanged element between
// them are both taken, under every policy, whatever the elements are: replaced, removed, and added.
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

// drawnElement draws what the elements of a list are: words, or maps that no key tells apart.
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
