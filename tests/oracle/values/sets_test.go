// Package values compares the reading of single values with Kubernetes': the sets of field paths
// in managedFields, and quantities.
package values

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/tests/seed"
)

func TestMain(m *testing.M) { seed.Main(m) }

// drawElement draws a step as structured-merge-diff has it; few, so that sets meet.
func drawElement(t *rapid.T) fieldpath.PathElement {
	names := rapid.SampledFrom([]string{"a", "b", "B", "a.b/c", `"q"`, "ä", "<&>", "f:a"})
	scalar := rapid.SampledFrom([]any{"a", "b", "80", "<b>", "", 80.0, -1.5, 8080.0, true, false, nil})
	switch rapid.IntRange(0, 5).Draw(t, "step") {
	case 0:
		return fieldpath.KeyElementByFields("name", scalar.Draw(t, "name"))
	case 1:
		return fieldpath.KeyElementByFields("port", scalar.Draw(t, "port"), "protocol", scalar.Draw(t, "protocol"))
	case 2:
		return fieldpath.ValueElement(value.NewValueInterface(scalar.Draw(t, "value")))
	case 3:
		return fieldpath.IndexElement(rapid.IntRange(0, 12).Draw(t, "index"))
	}
	return fieldpath.FieldNameElement(names.Draw(t, "field"))
}

func drawSet(t *rapid.T, name string) *fieldpath.Set {
	set := fieldpath.NewSet()
	for range rapid.IntRange(0, 8).Draw(t, name) {
		var path fieldpath.Path
		for range rapid.IntRange(1, 4).Draw(t, "depth") {
			path = append(path, drawElement(t))
		}
		set.Insert(path)
	}
	return set
}

// read makes ours of structured-merge-diff's set, through the text of both.
func read(t *rapid.T, set *fieldpath.Set) *managed.Set {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text(t, set)), &doc); err != nil {
		t.Fatal(err)
	}
	out, err := managed.Read(doc.Content[0])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t *rapid.T, set *fieldpath.Set) string {
	out, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSets: sets and what is made of them have the paths, and the bytes, that
// structured-merge-diff gives them.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSet(t, "a"), drawSet(t, "b")
		x, y := read(t, a), read(t, b)
		for name, c := range map[string]struct {
			want *fieldpath.Set
			got  *managed.Set
		}{
			"itself":     {a, x},
			"union":      {a.Union(b), managed.Union(x, y)},
			"difference": {a.Difference(b), managed.Difference(x, y)},
		} {
			if want := text(t, c.want); c.got.JSON() != want {
				t.Fatalf("%s\n got %s\nwant %s", name, c.got.JSON(), want)
			}
			if c.got.Empty() != c.want.Empty() {
				t.Fatalf("%s: empty %v", name, c.got.Empty())
			}
		}
		if managed.Equal(x, y) != a.Equals(b) {
			t.Fatalf("equal: %v", managed.Equal(x, y))
		}
		paths := pathsOf(x, nil)
		for _, p := range paths {
			if !x.At(p).Member() {
				t.Fatalf("no member: %s", p)
			}
		}
		if len(paths) != a.Size() || !managed.Equal(managed.Of(paths...), x) {
			t.Fatalf("paths: %s", paths)
		}
	})
}

// pathsOf returns the paths of a set that lies below a path.
func pathsOf(s *managed.Set, at managed.Path) (out []managed.Path) {
	if s.Member() {
		out = append(out, at)
	}
	for step, below := range s.Children() {
		out = append(out, pathsOf(below, append(slices.Clone(at), step))...)
	}
	return out
}
