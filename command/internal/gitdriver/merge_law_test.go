package gitdriver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// TestLawNoMoreLinesThanGit: in every style markers hold no more lines than git's for the same
// file with whole elements, unless git's merge has a key twice outside of its markers or with one side of them.
func TestLawNoMoreLinesThanGit(t *testing.T) {
	byFields, marked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		v := Versions{Path: "values.yaml"}
		for side := range v.Texts {
			v.Texts[side] = []byte(drawValues(t))
		}
		f := marker.Format{Labels: [3]string{"ours", "base", "theirs"}}
		f.Style = rapid.SampledFrom([]marker.Style{marker.Merge, marker.Diff3, marker.ZealousDiff3}).Draw(t, "style")
		lines, _, err := Git{}.MergeLines(t.Context(), v, f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Git{}.Merge(t.Context(), v, f)
		if err != nil {
			t.Fatal(err)
		}
		byGit := f.Parse(lines)
		isBroken := slices.ContainsFunc([]marker.Side{marker.Ours, marker.Theirs}, func(side marker.Side) bool {
			return yaml.Unmarshal(byGit.Resolve(func(int) marker.Side { return side }), &map[string]any{}) != nil
		})
		_, most := v.withWholeElements(byGit).Conflicts()
		if !isBroken && f.MarkedLines(m.Text) > most {
			t.Fatalf("%d lines in conflict, git has %d:\n%s\nand git\n%s", f.MarkedLines(m.Text), most, m.Text, lines)
		}
		if m.Method == ByFields {
			byFields++
			marked += m.Conflicts
		}
	})
	if byFields == 0 || marked == 0 {
		t.Errorf("%d files were merged by fields, with %d markers: the law says nothing", byFields, marked)
	}
}

// drawValues draws values of a chart with fields, a list and a multi-line text, in one of several
// layouts.
func drawValues(t *rapid.T) string {
	var b strings.Builder
	number := rapid.IntRange(0, 2)
	indent := rapid.SampledFrom([]string{"", "", "  "}).Draw(t, "indent")
	for _, name := range [5]string{"a", "b", "c", "d", "e"} {
		switch n := number.Draw(t, name); {
		case n > 0 && name == "c":
			b.WriteString("c:\n")
			for i := range 6 {
				fmt.Fprintf(&b, "%s- name%d: %d\n%s  kept: %d\n", indent, i, number.Draw(t, "element"), indent, i)
			}
		case n > 0 && name == "d":
			b.WriteString(rapid.SampledFrom([]string{"d: |\n", "d: |-\n", "d: |+\n"}).Draw(t, "header"))
			for i := range 12 {
				fmt.Fprintf(&b, "  line %d of %d\n", i, number.Draw(t, "line")/2)
			}
		case n > 0:
			fmt.Fprintf(&b, "%s:\n%s  x: %d\n%s  y: 1\n", name, indent, n, indent)
		}
	}
	return b.String() + "z: 1\n"
}

// TestLawUncommentedByBoth: each side comments elements of lists out, or uncomments some, between other elements and comments. Where git merges the lines
// without a conflict, the driver has git's result.
func TestLawUncommentedByBoth(t *testing.T) {
	clean := 0
	rapid.Check(t, func(t *rapid.T) {
		v := Versions{Path: "kustomization.yaml"}
		for list := range rapid.IntRange(1, 2).Draw(t, "lists") {
			indent := rapid.SampledFrom([]string{"", "  "}).Draw(t, "indent")
			for side := range v.Texts {
				v.Texts[side] = fmt.Appendf(v.Texts[side], "list%d:\n", list)
			}
			for i := range rapid.IntRange(2, 8).Draw(t, "elements") {
				signs := rapid.SampledFrom([][3]string{{"", "", ""}, {"", "", ""}, {"#", "#", "#"}, {"", "#", "#"}, {"#", "#", ""}, {"#", "", ""}, {"", "", "#"}}).Draw(t, "signs")
				about := rapid.SampledFrom([]string{"", indent + "# About it.\n"}).Draw(t, "about")
				for side, sign := range signs {
					v.Texts[side] = fmt.Appendf(v.Texts[side], "%s%s%s- e%d.yaml\n", about, indent, sign, i)
				}
			}
		}
		f := marker.Format{Style: marker.Merge}
		lines, conflicts, err := Git{}.MergeLines(t.Context(), v, f)
		if err != nil || conflicts > 0 {
			return
		}
		clean++
		m, err := Git{}.Merge(t.Context(), v, f)
		if err != nil || string(m.Text) != string(lines) {
			t.Fatalf("%v, %s, git has\n%s\nand the driver\n%s", err, m.Fault, lines, m.Text)
		}
	})
	if clean == 0 {
		t.Error("git merged no file without a conflict")
	}
}
