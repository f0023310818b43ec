package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// spacedEntry is a field or an element of a drawn tree, with a value for each version: origin, upstream and local.
type spacedEntry struct {
	name     string
	element  bool
	comments int
	// spaces are the numbers of empty lines above each comment and above the entry, in each version.
	spaces [][3]int
	value  [3]string
	below  []spacedEntry
	// removed reports whether upstream removed the entry.
	removed bool
}

// drawSpaces draws the numbers of empty lines in a place: each side may have changed origin's.
func drawSpaces(t *rapid.T) (n [3]int) {
	number := rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 3})
	n[0] = number.Draw(t, "empty lines")
	for side := 1; side < 3; side++ {
		if n[side] = n[0]; rapid.IntRange(0, 3).Draw(t, "changed") == 0 {
			n[side] = number.Draw(t, "empty lines of a side")
		}
	}
	return n
}

// drawSpaced draws the entries of a map or list.
func drawSpaced(t *rapid.T, depth int) (out []spacedEntry) {
	isList := depth > 0 && rapid.IntRange(0, 2).Draw(t, "list") == 0
	for i := range rapid.IntRange(1, 5).Draw(t, "entries") {
		e := spacedEntry{name: fmt.Sprintf("entry%d%d", depth, i), element: isList, comments: rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "comments")}
		for range e.comments + 1 {
			e.spaces = append(e.spaces, drawSpaces(t))
		}
		if depth < 3 && !isList && rapid.IntRange(0, 2).Draw(t, "below") == 0 {
			e.below = drawSpaced(t, depth+1)
		} else {
			e.value = drawValue(t, isList)
		}
		out = append(out, e)
	}
	return out
}

// drawValue draws a value, which one side may have changed.
func drawValue(t *rapid.T, isList bool) [3]string {
	form := "%s"
	if !isList {
		form = rapid.SampledFrom([]string{"%s", `"%s"`, "|\n#first\n\n#%s", "|-\n#%s"}).Draw(t, "form")
	}
	value := [3]string{fmt.Sprintf(form, "v1"), fmt.Sprintf(form, "v1"), fmt.Sprintf(form, "v1")}
	if side := rapid.IntRange(0, 4).Draw(t, "changes"); side == 1 || side == 2 {
		value[side] = fmt.Sprintf(form, fmt.Sprint("v", side+1))
	}
	return value
}

// writeSpaced writes entries as merged from their versions: the numbers of empty lines and the values are picked.
func writeSpaced(b *strings.Builder, entries []spacedEntry, margin string, pick func(e spacedEntry) (spaces []int, value string, removed bool)) {
	for _, e := range entries {
		spaces, value, removed := pick(e)
		if removed {
			continue
		}
		for i := range e.comments + 1 {
			b.WriteString(strings.Repeat("\n", spaces[i]))
			if i < e.comments {
				fmt.Fprintf(b, "%s# %s, %d\n", margin, e.name, i)
			}
		}
		switch {
		case e.element:
			fmt.Fprintf(b, "%s- name: %s\n%s  value: %s\n", margin, e.name, margin, value)
		case e.below == nil:
			fmt.Fprintf(b, "%s%s: %s\n", margin, e.name, strings.ReplaceAll(value, "#", margin+"  "))
		default:
			fmt.Fprintf(b, "%s%s:\n", margin, e.name)
			writeSpaced(b, e.below, margin+"  ", pick)
		}
	}
}

// spacedFile writes a file with entries.
func spacedFile(entries []spacedEntry, pick func(e spacedEntry) ([]int, string, bool)) string {
	var b strings.Builder
	b.WriteString("apiVersion: example.com/v1\nkind: Platform\nmetadata:\n  name: platform\n")
	writeSpaced(&b, entries, "", pick)
	return b.String()
}

// of picks a version.
func (e spacedEntry) of(side int) (spaces []int, value string, removed bool) {
	for _, n := range e.spaces {
		spaces = append(spaces, n[side])
	}
	return spaces, e.value[side], e.removed && side == 1
}

// threeWay returns the version that one side changed alone, local's if both did.
func threeWay[T comparable](v [3]T) T {
	if v[2] == v[0] {
		return v[1]
	}
	return v[2]
}

// merged picks what one side changed alone, and local's empty lines if both did.
func (e spacedEntry) merged() (spaces []int, value string, removed bool) {
	for _, n := range e.spaces {
		spaces = append(spaces, threeWay(n))
	}
	return spaces, threeWay(e.value), e.removed
}

// removeSome lets upstream remove some entries that local left, as the lines around them, and which have no comments around.
func removeSome(t *rapid.T, entries []spacedEntry) {
	for i := range entries {
		e := &entries[i]
		removeSome(t, e.below)
		if i == 0 || i+1 == len(entries) || e.comments+entries[i+1].comments > 0 || e.below != nil || rapid.IntRange(0, 3).Draw(t, "remove") > 0 {
			continue
		}
		e.removed = true
		e.value = [3]string{e.value[0], e.value[0], e.value[0]}
		for _, of := range []*spacedEntry{e, &entries[i+1]} {
			of.spaces[0][2] = of.spaces[0][0]
		}
		if entries[i-1].below != nil { // the lines end below its last entry
			e.removed = false
		}
	}
}

// bothChangedSpaces reports whether both sides changed the empty lines in one place.
func bothChangedSpaces(entries []spacedEntry) bool {
	return slices.ContainsFunc(entries, func(e spacedEntry) bool {
		return slices.ContainsFunc(e.spaces, func(n [3]int) bool { return n[0] != n[1] && n[0] != n[2] }) || bothChangedSpaces(e.below)
	})
}

// TestLawEmptyLines checks on drawn files that the empty lines in each place that all versions have merge three-way: the
// result has what one side changed alone, and local's number if both changed it, in every way out
// (rules/comments-and-text: empty lines). Merging again changes nothing.
func TestLawEmptyLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawSpaced(t, 0)
		if rapid.Bool().Draw(t, "removals") {
			removeSome(t, entries)
		}
		var texts [3]string
		for side := range texts {
			texts[side] = spacedFile(entries, func(e spacedEntry) ([]int, string, bool) { return e.of(side) })
		}
		want := spacedFile(entries, spacedEntry.merged)
		p := mergecheck.Package{Origin: map[string]string{lawFile: texts[0]}, Upstream: map[string]string{lawFile: texts[1]}, Local: map[string]string{lawFile: texts[2]}}
		for _, way := range ways.Names() {
			if way == ways.Driver && bothChangedSpaces(entries) {
				continue // git's lines may have the empty lines of both sides
			}
			m := mergeOne(t, way, p)
			if got := m.Result[lawFile]; got != want {
				t.Fatalf("%s\n--- got\n%s--- want\n%s%s", way, got, want, show(p))
			}
			if way == ways.Driver {
				continue
			}
			again := p
			again.Local = m.Result
			if second := mergeOne(t, way, again); second.Result[lawFile] != want {
				t.Fatalf("%s, merged again\n--- got\n%s--- want\n%s%s", way, second.Result[lawFile], want, show(p))
			}
		}
	})
}
