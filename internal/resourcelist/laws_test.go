package resourcelist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestSplitAgrees is the law of rules/reading: guards of a list: if no guard asks for the full parser, splitting
// gives the same result.
func TestSplitAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkSplit(t, []byte(listText(t, rapid.Bool().Draw(t, "outer"))))
	})
}

// TestSplitIsUsual: the guards do not match a list written by kpt or kustomize.
func TestSplitIsUsual(t *testing.T) {
	for name, data := range testdata(t) {
		if _, ok := readSplit(data); !ok {
			t.Errorf("%s needs the full parser", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range testdata(f) {
		f.Add(data)
	}
	for _, items := range guardedItems() {
		f.Add([]byte(head + items))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkSplit(t, normalize(data))
		list, err := Read(data)
		if err != nil {
			return
		}
		checkRewrite(t, list, list.Items)
	})
}

// TestUnchangedKeepsBytes is the law of rules/comments-and-text: unchanged text for
// whole lists.
func TestUnchangedKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := listText(t, false)
		list, ok := readSplit([]byte(text))
		if !ok {
			t.Skip()
		}
		got := string(checkRewrite(t, list, list.Items))
		if _, items, _ := strings.Cut(text, "\nitems:"); !strings.HasSuffix(got, "\nitems:"+items) {
			t.Fatal(cmp.Diff(text, got))
		}
	})
}

// TestAnyItemsCanBeWritten drops, repeats, reorders and changes items.
func TestAnyItemsCanBeWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := listText(t, true)
		list, err := Read([]byte(text))
		if err != nil {
			t.Fatal(err, text)
		}
		var items []*Item
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			item := rapid.SampledFrom(list.Items).Draw(t, "item")
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 1:
				parseAll(t, list)
				item = item.WithNode(changed(t, item.Node))
			case 2:
				item = item.WithMergeComment("kpt-merge: a/b")
			}
			items = append(items, item)
		}
		checkRewrite(t, list, items)
	})
}

// TestCommentsStay counts the comments in lists that are written unchanged.
func TestCommentsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := listText(t, true)
		list, err := Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := string(checkRewrite(t, list, list.Items))
		for _, kind := range []string{"# o", "# h", "# l"} {
			if was, is := strings.Count(text, kind), strings.Count(got, kind); was != is {
				t.Fatalf("%d comments became %d\n%s\n%s", was, is, text, got)
			}
		}
	})
}

// changed returns a copy of n with a few changes.
func changed(t *rapid.T, n *yaml.Node) *yaml.Node {
	n = yamlnode.Clone(n)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		var full []*yaml.Node
		yamlnode.Walk(n, func(n *yaml.Node) {
			if len(n.Content) > 0 {
				full = append(full, n)
			}
		})
		if len(full) == 0 || len(full) > 100 {
			break
		}
		at := rapid.SampledFrom(full).Draw(t, "collection")
		step := map[yaml.Kind]int{yaml.MappingNode: 2, yaml.SequenceNode: 1}[at.Kind]
		i := step * rapid.IntRange(0, len(at.Content)/step-1).Draw(t, "index")
		switch rapid.IntRange(0, 2).Draw(t, "kind of change") {
		case 0:
			at.Content = append(at.Content[:i:i], at.Content[i+step:]...)
		case 1:
			at.Style ^= yaml.FlowStyle
		case 2:
			at.Content[i+step-1] = yamlnode.Clone(rapid.SampledFrom(full).Draw(t, "value"))
		}
	}
	return n
}
