package krmfunction

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// variants are versions of one resource as people write them: comments, odd
// spacing, quotes, block scalars. %[1]s is its name.
func variants() []string {
	return []string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /%[1]s\n  name:   %[1]s\n  MARK\ndata:\n    a:   '1'   # one\n    b: \"2\"\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /%[1]s\n  name:   %[1]s\n  MARK\ndata:\n    a:   '1'   # one\n    b: \"3\" # three\n    c: |\n        x\n\n        y\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /%[1]s\n  name:   %[1]s\n  MARK\ndata:\n    b: \"2\"\n    # above d\n    d: >-\n        folded\n        text\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /%[1]s\n  name:   other-%[1]s\n  MARK\ndata:\n    a:   '4'\n    b: \"2\"\n",
	}
}

// drawList draws a list of a few resources, each in some version on each side.
// Where upstream has the variant that origin has, nothing is to be merged.
func drawList(t *rapid.T, upstreamChanges bool) (in []byte, locals []string) {
	var sides [3][]string
	for i := range rapid.IntRange(1, 4).Draw(t, "resources") {
		draw := func(label string) int { return rapid.IntRange(-1, len(variants())-1).Draw(t, label) }
		o, l := draw("origin"), draw("local")
		u := o
		if upstreamChanges {
			u = draw("upstream")
		}
		for side, pick := range []int{o, u, l} {
			if pick >= 0 {
				sides[side] = append(sides[side], fmt.Sprintf(variants()[pick], fmt.Sprintf("r%d", i)))
			}
		}
	}
	// A resource that all have keeps origin and upstream from being empty.
	for side := range sides {
		sides[side] = append(sides[side], fmt.Sprintf(variants()[0], "z"))
	}
	return list(sides), sides[2]
}

// list is the ResourceList of three sides, local first.
func list(sides [3][]string) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, side := range []int{2, 0, 1} {
		for _, doc := range sides[side] {
			b.WriteString(asItem(doc, side))
		}
	}
	return b.Bytes()
}

// asItem is a document as an item, origin's and upstream's with their mark.
func asItem(doc string, side int) string {
	mark := "labels: {a: b}\n"
	if side < 2 {
		mark += "  annotations:\n    config.kubernetes.io/merge-source: " + []string{"origin", "upstream"}[side] + "\n"
	}
	doc = strings.Replace(doc, "MARK\n", mark, 1)
	lines := strings.SplitAfter(strings.TrimSuffix(doc, "\n"), "\n")
	for i := range lines {
		switch {
		case i == 0:
			lines[i] = "- " + lines[i]
		case lines[i] != "\n":
			lines[i] = "  " + lines[i]
		}
	}
	return strings.Join(lines, "") + "\n"
}

// outItems is the items of a list, as they stand in it.
func outItems(t *rapid.T, out []byte) string {
	_, items, found := strings.Cut(string(out), "\nitems:\n")
	if !found {
		t.Fatalf("no items came out:\n%s", out)
	}
	items, _, _ = strings.Cut(items, "results:\n")
	return items
}

// merge(o,o,l) = l, to the byte.
func TestLawUpstreamUnchangedBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, locals := drawList(t, false)
		out, err := Run(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, doc := range locals {
			want += asItem(doc, 2)
		}
		if got := outItems(t, out); got != want {
			t.Fatalf("--- got\n%s--- want\n%s", got, want)
		}
	})
}

// Merging the result again with the same origin and upstream changes nothing,
// and the same input gives the same bytes.
func TestLawMergedAgainBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawList(t, true)
		out, err := Run(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if same, _ := Run(in, nil); !bytes.Equal(same, out) {
			t.Fatalf("the same input gave\n%s--- and\n%s", out, same)
		}
		first := outItems(t, out)
		_, sources, _ := strings.Cut(string(in), "\nitems:\n")
		at := strings.Index(sources, "- apiVersion: v1\n  kind: ConfigMap\n  metadata: # kpt-merge: /z")
		rest := strings.Index(sources[at+1:], "\n- ")
		again, err := Run([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"+first+sources[at+1+rest+1:]), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := outItems(t, again); got != first {
			t.Fatalf("--- first\n%s--- again\n%s", first, got)
		}
	})
}

// Skimmed or parsed, split or read by the full parser: the result is the same
// (rules/reading: guards of a list). Some versions get a null, a comment, or what is
// not plain.
func TestLawPathsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := drawList(t, rapid.Bool().Draw(t, "upstream changes"))
		lines := strings.SplitAfter(string(in), "\n")
		for range rapid.IntRange(0, 3).Draw(t, "odd lines") {
			i := rapid.IntRange(3, len(lines)-1).Draw(t, "line")
			if odd, found := strings.CutSuffix(lines[i], "\"2\"\n"); found {
				lines[i] = odd + rapid.SampledFrom([]string{"~", "", "&x 2", "!!str 2", "\"2\" # new", "\"\\x32\""}).Draw(t, "value") + "\n"
			}
		}
		text := strings.Join(lines, "")
		fast, fastErr := Run([]byte(text), nil)
		whole, wholeErr := Run([]byte(text+"...\n"), nil)
		if fmt.Sprint(fastErr) != fmt.Sprint(wholeErr) || !bytes.Equal(fast, whole) {
			t.Fatalf("%v\n%s--- whole %v\n%s", fastErr, fast, wholeErr, whole)
		}
	})
}
