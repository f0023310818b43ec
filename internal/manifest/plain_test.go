package manifest

import (
	"bytes"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/caselist"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// checkPlain compares two readings of the text of an item, directly and with the YAML parser: nodes, comments and
// places. It reports whether the text is plain.
func checkPlain(t rapid.TB, text []byte) bool {
	if Tree(text) == nil {
		return false
	}
	checkAlike(t, text, true)
	return true
}

// checkPlainDocument is checkPlain for the text of a document.
func checkPlainDocument(t rapid.TB, text []byte) bool {
	if DocumentTree(text) == nil {
		return false
	}
	checkAlike(t, text, false)
	return true
}

// checkAlike compares two ways of reading a text.
func checkAlike(t rapid.TB, text []byte, item bool) {
	fast, err := read(text, item, false)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	slow, err := read(text, item, true)
	if err != nil {
		t.Fatalf("it is not plain: %v\n%s", err, text)
	}
	if !reflect.DeepEqual(fast, slow) {
		a, _ := yaml.Marshal(slow.root)
		b, _ := yaml.Marshal(fast.root)
		t.Fatalf("nodes:\n%s\nas YAML:\n%s\n%s", cmp.Diff(slow.root, fast.root), cmp.Diff(string(a), string(b)), text)
	}
}

// TestLawPlain: an item that is plain reads as if it were not.
func TestLawPlain(t *testing.T) {
	plain := 0
	plainer := strings.NewReplacer("key with space ", "w", "é", "e", `"k`, "k", `"a`, "a", `":`, ":", "\r\n", "\n", "!!int ", "", "!!bool ", "")
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{T: t}
		text := string(d.write(d.resource(), true, d.n(2) == 0).bytes)
		if d.n(4) > 0 {
			text = plainer.Replace(text)
		}
		if checkPlain(t, []byte(text)) {
			plain++
		}
	})
	if plain < 8/seed.Step(4) {
		t.Errorf("only %d items were plain", plain)
	}
}

// TestPlainCases is TestLawPlain for every resource in the cases of testdata.
func TestPlainCases(t *testing.T) {
	texts := caseTexts(t)
	plain, count := 0, 0
	for i := 0; i < len(texts); i += seed.Step(5) {
		for _, text := range asItems(texts[i]) {
			if count++; checkPlain(t, text) {
				plain++
			}
		}
	}
	if plain < count/2 {
		t.Errorf("%d of %d resources are plain", plain, count)
	}
	t.Logf("%d of %d resources are plain", plain, count)
}

// caseTexts are the files of the cases of testdata, in order.
func caseTexts(t *testing.T) (texts [][]byte) {
	cases, err := caselist.Read("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, name := range slices.Sorted(maps.Keys(c.Files)) {
			if path.Ext(name) == ".yaml" {
				texts = append(texts, c.Files[name])
			}
		}
	}
	return texts
}

// asItems makes items of the documents in data.
func asItems(data []byte) [][]byte {
	var items [][]byte
	for _, text := range strings.Split("\n"+string(data), "\n---\n") {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n") + "\n"
		var b bytes.Buffer
		dash := "- "
		for line := range strings.Lines(text) {
			switch {
			case line == "\n" || line[0] == '#' && dash == "- ":
				b.WriteString(line)
			default:
				b.WriteString(dash + line)
				dash = "  "
			}
		}
		items = append(items, b.Bytes())
	}
	return items
}

// TestLawPlainDocument: a document that is plain reads as if it were not.
func TestLawPlainDocument(t *testing.T) {
	plain := 0
	plainer := strings.NewReplacer("key with space ", "w", "é", "e", `"k`, "k", `"a`, "a", `":`, ":", "\r\n", "\n", "!!int ", "", "!!bool ", "")
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{T: t}
		text := string(d.write(d.resource(), false, d.n(2) == 0).bytes)
		if d.n(4) > 0 {
			text = plainer.Replace(text)
		}
		if checkPlainDocument(t, []byte(text)) {
			plain++
		}
	})
	if plain < 8/seed.Step(4) {
		t.Errorf("only %d documents were plain", plain)
	}
}

// TestPlainDocumentCases is TestLawPlainDocument for every document in the cases of testdata.
func TestPlainDocumentCases(t *testing.T) {
	texts := caseTexts(t)
	plain, count := 0, 0
	for i := 0; i < len(texts); i += seed.Step(5) {
		for _, text := range strings.Split("\n"+string(texts[i]), "\n---\n") {
			if count++; checkPlainDocument(t, []byte(strings.TrimPrefix(text, "\n")+"\n")) {
				plain++
			}
		}
	}
	if plain < count/2 {
		t.Errorf("%d of %d documents are plain", plain, count)
	}
}

func FuzzPlainDocument(f *testing.F) {
	f.Add([]byte("# a\nb: 1 # c\n\n# d\ne: {f: [g, 'h']} # i\nj: |+\n\n  k\n\n# l\nm:\n- n: \"\\\"\"\n  # o\n# p\n\n# q\n"))
	f.Add([]byte("a: >-\n    b\n\n    c\nd: # e\n    f:\ng: <<\nh: 0x1F\n"))
	f.Add([]byte("# a\n\n# b\nc:\n  d: 1\n\n# e\n"))
	f.Fuzz(func(t *testing.T, text []byte) { checkPlainDocument(t, text) })
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte("# a\n- b: 1 # c\n\n  # d\n  e: {f: [g, 'h']} # i\n  j: |+\n\n    k\n\n  # l\n  m:\n  - n: \"\\\"\"\n    # o\n  # p\n# q\n"))
	f.Add([]byte("  - a: >-\n      b\n\n      c\n    d: # e\n      f:\n    g: <<\n    -h: 0x1F\n"))
	f.Fuzz(func(t *testing.T, text []byte) { checkPlain(t, text) })
}
