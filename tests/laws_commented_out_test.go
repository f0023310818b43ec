package tests

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// argument is an element of a list without keys, with the comments above it and beside it.
type argument struct {
	above, name, beside string
	commented           bool
}

// writeArguments returns the text of a list, in the column of its field or indented.
func writeArguments(arguments []argument, indent, below string) string {
	out := "apiVersion: example.com/v1\nkind: Shop\nmetadata: # kpt-merge: /x\n  name: x\nspec:\n  arguments:\n"
	for _, a := range arguments {
		if a.above != "" {
			out += indent + "# " + a.above + "\n"
		}
		mark := ""
		if a.commented {
			mark = "# "
		}
		out += indent + mark + "- " + a.name + a.beside + "\n"
	}
	return out + below
}

// TestLawCommentedOut checks that an element which the sides commented out, in a list without keys, is in a result once, and so
// on each side of a marker: it does not stand beside its comment, and the comment does not come twice (rules/comments-and-text:
// commented-out entries).
func TestLawCommentedOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indent := rapid.SampledFrom([]string{"  ", "    "}).Draw(t, "indent")
		below := rapid.SampledFrom([]string{"", "  closed: true\n"}).Draw(t, "below")
		var versions [3][]argument
		n := rapid.IntRange(2, 5).Draw(t, "arguments")
		for i := range n {
			a := argument{name: fmt.Sprintf("red%d", i)}
			if rapid.IntRange(0, 2).Draw(t, "above") == 0 {
				a.above = fmt.Sprintf("It is about %d.", i)
			}
			if rapid.IntRange(0, 2).Draw(t, "beside") == 0 {
				a.beside = fmt.Sprintf(" # of %d", i)
			}
			versions[0] = append(versions[0], a)
		}
		for side := 1; side <= 2; side++ {
			shown := 0
			for i, a := range versions[0] {
				if i == n-1 && indent == "  " { // below it is the place of the next field
					versions[side] = append(versions[side], a)
					shown++
					continue
				}
				switch rapid.IntRange(0, 5).Draw(t, "edit") {
				case 0, 1:
					a.commented = true
				case 2:
					a.name += "abc"[side : side+1]
				case 3:
					if rapid.Bool().Draw(t, "removed") {
						continue
					}
				}
				versions[side] = append(versions[side], a)
				if !a.commented {
					shown++
				}
			}
			if shown == 0 || rapid.IntRange(0, 2).Draw(t, "more") == 0 {
				versions[side] = append(versions[side], argument{name: "more" + "abc"[side:side+1]})
			}
		}
		p := mergecheck.Package{Origin: map[string]string{lawFile: writeArguments(versions[0], indent, below)}, Upstream: map[string]string{lawFile: writeArguments(versions[1], indent, below)}, Local: map[string]string{lawFile: writeArguments(versions[2], indent, below)}}
		for _, way := range ways.All() {
			m := mergeOne(t, way, p)
			if m.Unchecked != "" || m.ByLines {
				continue
			}
			for _, text := range bothSides(m.Result[lawFile]) {
				for i := range n {
					if count := strings.Count(text+"\n", fmt.Sprintf("- red%d\n", i)) + strings.Count(text, fmt.Sprintf("- red%d #", i)); count > 1 {
						t.Fatalf("%s: red%d is there %d times\n%s", way, i, count, show(m.Package))
					}
				}
			}
		}
	})
}
