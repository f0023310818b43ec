package merge

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// TestLawFinder: a finder of many paths finds what each path finds alone, in maps and lists
// of which some elements lack a part of the key, share one, or write it otherwise.
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
			want, wantWhole := path.Find(doc.Content[0])
			if got, whole := finder.Find(path); got != want || whole != wantWhole {
				t.Fatalf("%s: line %d, %v; alone line %d, %v\n%s", path, got.Line, whole, want.Line, wantWhole, text.String())
			}
		}
	})
}

// drawKeyPart is a part of a key, nil for one that the element lacks.
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
