package merge

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestLawFinder: a finder with an index finds the same nodes as a search without one, in maps and in lists
// where some elements lack a part of the key, share one, or write it differently.
func TestLawFinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		number := rapid.SampledFrom([]string{"1", "0x1", "2", "'2'", "3", "{}", "~"})
		text.WriteString("a:\n")
		for range rapid.IntRange(1, 60).Draw(t, "elements") {
			text.WriteString("- z: 1\n")
			for _, name := range []string{"x", "y"} {
				if rapid.Bool().Draw(t, name) {
					fmt.Fprintf(&text, "  %s: %s\n", name, number.Draw(t, "value"))
				}
			}
		}
		for i := range rapid.IntRange(1, 40).Draw(t, "fields") {
			fmt.Fprintf(&text, "k%d: {b: c}\n", i)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text.String()), &doc); err != nil {
			t.Fatal(err)
		}
		finder := NewFinder(doc.Content[0])
		for range 20 {
			path := (*Path)(nil).Field(fmt.Sprintf("k%d", rapid.IntRange(0, 45).Draw(t, "field"))).Field(rapid.SampledFrom([]string{"b", "c"}).Draw(t, "below"))
			if rapid.Bool().Draw(t, "element") {
				path = (*Path)(nil).Field("a").Element([]KeyValue{{"x", drawKeyPart(t, number)}, {"y", drawKeyPart(t, number)}}).Field("z")
			}
			want, wantWhole := findSlowly(doc.Content[0], path)
			if got, whole := finder.Find(path); got != want || whole != wantWhole {
				t.Fatalf("%s: line %d, %v; alone line %d, %v\n%s", path, got.Line, whole, want.Line, wantWhole, text.String())
			}
		}
	})
}

// findSlowly is Finder.Find without an index.
func findSlowly(n *yaml.Node, p *Path) (at *yaml.Node, whole bool) {
	at = n
	for _, step := range p.Steps() {
		key, value := yamlnode.Entry(n, step.Field)
		if step.Keys != nil {
			key = firstWithKey(yamlnode.Elements(n), step.Keys)
			value = key
		}
		if key == nil {
			return at, false
		}
		at, n = key, value
	}
	return at, true
}

// drawKeyPart draws a part of a key, nil for one that the element lacks.
func drawKeyPart(t *rapid.T, number *rapid.Generator[string]) *yaml.Node {
	if rapid.IntRange(0, 9).Draw(t, "lacks") == 0 {
		return nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(number.Draw(t, "part")), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Content[0]
}
