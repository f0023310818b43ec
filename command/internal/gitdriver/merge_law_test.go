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

// TestLawApart: the sides rename keys, remove elements, put values in quotes, change values and write comments, at least three lines apart. Git
// merges the lines without a conflict, and the driver has git's result.
func TestLawApart(t *testing.T) {
	edits := 0
	rapid.Check(t, func(t *rapid.T) {
		var base [][]string // an element is removed whole
		for i := range rapid.IntRange(2, 4).Draw(t, "maps") {
			base = append(base, []string{fmt.Sprintf("m%d:", i)}, []string{"  level: info"}, []string{fmt.Sprintf("  mode: plain%d", i)}, []string{"  hosts:"})
			for j := range rapid.IntRange(2, 3).Draw(t, "hosts") {
				base = append(base, []string{"  - protocol: HTTP", fmt.Sprintf("    port: x%d%d", i, j), "    redirect: none", fmt.Sprintf("    path: p%d%d", i, j)})
			}
			base = append(base, []string{"  output: stdout"}, []string{"  buffer: small"})
		}
		var texts [4]strings.Builder // ours, base, theirs, and with the edits of both
		write := func(side int, lines []string) { texts[side].WriteString(strings.Join(lines, "\n") + "\n") }
		free := 0
		for n, lines := range base {
			edited, side := lines, 2*rapid.IntRange(0, 1).Draw(t, "side")
			if n >= free && rapid.IntRange(0, 2).Draw(t, "edit") > 0 {
				edited = drawEdit(t, lines, n)
				free = n + 4
				edits++
			}
			for to := range texts {
				if to == side || to == 3 {
					write(to, edited)
				} else {
					write(to, lines)
				}
			}
		}
		v := Versions{Path: "values.yaml"}
		for side := range v.Texts {
			v.Texts[side] = []byte(texts[side].String())
		}
		m, err := Git{}.Merge(t.Context(), v, marker.Format{Style: marker.Merge})
		if want := texts[3].String(); err != nil || string(m.Text) != want {
			t.Fatalf("%v, %s, ours\n%s\ntheirs\n%s\nand the driver\n%s", err, m.Fault, v.Texts[marker.Ours], v.Texts[marker.Theirs], m.Text)
		}
	})
	if edits == 0 {
		t.Error("no version is edited")
	}
}

// drawEdit changes some line of a few, or removes them if they are an element.
func drawEdit(t *rapid.T, lines []string, n int) (edited []string) {
	if len(lines) > 1 && rapid.Bool().Draw(t, "removed") {
		return []string{"  # one less"}
	}
	i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	key, value, _ := strings.Cut(lines[i], ": ")
	line := lines[i]
	switch kind := rapid.SampledFrom([]string{"quotes", "value", "note", "comment"}).Draw(t, "kind"); {
	case value == "":
		line = strings.Replace(line, ":", fmt.Sprintf("Renamed%d:", n), 1)
	case kind == "quotes":
		line = fmt.Sprintf("%s: %q", key, value)
	case kind == "value":
		line = fmt.Sprintf("%s: new%d", key, n)
	case kind == "note":
		line += fmt.Sprintf(" # note %d", n)
	default:
		edited = append(edited, fmt.Sprintf("%s# comment %d", line[:len(line)-len(strings.TrimLeft(line, " "))], n))
	}
	return append(slices.Concat(lines[:i], edited, []string{line}), lines[i+1:]...)
}
