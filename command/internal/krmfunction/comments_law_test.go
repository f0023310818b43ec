package krmfunction

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawWritten draws the three versions of a file with comments everywhere.
func drawWritten(t *rapid.T) [3]string {
	w := writer{T: t, count: new(int)}
	origin := w.collection(2)
	origin.list = false
	for i := range origin.entries {
		if origin.entries[i].below != nil && origin.entries[i].below.entries[0].key == "name" {
			origin.entries[i].below.entries = origin.entries[i].below.entries[1:]
		}
	}
	upstream, local := w.edited(origin), w.edited(origin)
	if w.chance(50) {
		upstream = w.edited(upstream)
	}
	if w.chance(50) {
		local = w.edited(local)
	}
	return [3]string{origin.file(), upstream.file(), local.file()}
}

// tooOften says which line of a comment a result has more often than the side which has
// it most often, "" if there is none (rules/comments-and-text: merged comments).
func tooOften(result string, sides [3]string) string {
	got := commentCounts(result)
	for text, n := range got {
		most := 0
		for _, side := range sides {
			most = max(most, commentCounts(side)[text])
		}
		if n > most && !strings.Contains(text, "kpt-merge:") {
			return fmt.Sprintf("%q comes out %d times, a side has it %d times", text, n, most)
		}
	}
	return ""
}

// commentCounts counts the comments of a text without quotes.
func commentCounts(text string) map[string]int {
	count := map[string]int{}
	for line := range strings.Lines(text) {
		if _, comment, found := strings.Cut(line, "# "); found {
			count[strings.TrimSpace(comment)]++
		}
	}
	return count
}

// TestLawComments: no comment comes out more often than a side has it, and the
// second run changes nothing.
func TestLawComments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkWritten(t, drawWritten(t)) })
}

// TestLawCommentsLeft is TestLawComments where each side deleted fields and left the comments
// above them.
func TestLawCommentsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := writer{T: t, count: new(int)}
		origin := w.collection(2)
		origin.list = false
		for i := range origin.entries {
			if origin.entries[i].below != nil && origin.entries[i].below.entries[0].key == "name" {
				origin.entries[i].below.entries = origin.entries[i].below.entries[1:]
			}
		}
		upstream, local := w.without(origin), w.without(origin)
		if w.chance(50) {
			upstream = w.without(upstream)
		}
		if w.chance(50) {
			local = w.without(local)
		}
		checkWritten(t, [3]string{origin.file(), upstream.file(), local.file()})
	})
}

// checkWritten merges the three versions of a file, and the result again: with the same origin, unless there was a
// conflict, and with upstream in its place.
func checkWritten(t *rapid.T, sides [3]string) {
	show := func(out string) string {
		return fmt.Sprintf("--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", sides[0], sides[1], sides[2], out)
	}
	conflicts := false
	run := func(origin, local string) string {
		out, err := Run([]byte(filesAsList(origin, sides[1], local)), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, show(string(out)))
		}
		conflicts = conflicts || strings.Contains(string(out), "conflict: ")
		item, _, _ := strings.Cut(string(out), "\n- apiVersion: v1\n  kind: Last")
		_, item, _ = strings.Cut(item, "items:\n- ")
		return strings.ReplaceAll(item, "\n  ", "\n") + "\n"
	}
	first := run(sides[0], sides[2])
	if broken := tooOften(first, sides); broken != "" {
		t.Fatalf("%s\n%s", broken, show(first))
	}
	for i, name := range []string{"origin", "upstream"} {
		if i == 0 && isEmptied(first, sides) {
			continue // its comments stand below it, where the first merge did not have them
		}
		if again := run(sides[i], first); again != first && !(i == 0 && conflicts) {
			t.Fatalf("merged again with %s it is\n%s%s", name, again, show(first))
		}
	}
}

// isEmptied reports whether a result has a collection without entries, and no side has it.
func isEmptied(result string, sides [3]string) bool {
	for _, empty := range []string{": {}", ": []"} {
		if strings.Contains(result, empty) && !strings.Contains(strings.Join(sides[:], ""), empty) {
			return true
		}
	}
	return false
}

// filesAsList is the list of three files and a last item.
func filesAsList(origin, upstream, local string) string {
	text := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for i, file := range []string{local, origin, upstream} {
		if mark := []string{"", "origin", "upstream"}[i]; mark != "" {
			file = strings.Replace(file, "  name: x\n", "  name: x\n  annotations:\n    config.kubernetes.io/merge-source: "+mark+"\n", 1)
		}
		text += "- " + strings.TrimSuffix(strings.ReplaceAll(file, "\n", "\n  "), "  ")
		if i == 0 {
			text += "- apiVersion: v1\n  kind: Last\n  metadata:\n    name: last\n"
		}
	}
	return strings.ReplaceAll(text, "\n  \n", "\n\n")
}

// TestLawCommentsUnderKpt is the first of these for a file under `kpt fn eval`,
// which copies comments of its own. Each file ends with a field: comments below
// the last one kpt may not send. No empty line is above a comment: of two blocks
// yaml.v3, and so kpt, gives the second one to what is below.
func TestLawCommentsUnderKpt(t *testing.T) {
	above := regexp.MustCompile(`(?m)^\n( *#)`)
	rapid.Check(t, func(rt *rapid.T) {
		sides := drawWritten(rt)
		for side := range sides {
			sides[side] = above.ReplaceAllString(sides[side]+"last: field\n", "$1")
		}
		out, err := underKpt(t, sides)
		if err != nil {
			rt.Fatal(err)
		}
		if broken := tooOften(out, sides); broken != "" && tooOften(out, untouched(t, sides)) != "" {
			rt.Fatalf("%s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", broken, sides[0], sides[1], sides[2], out)
		}
	})
}

// untouched are the files as kpt makes them if a function does nothing: kpt
// doubles some comments by itself.
func untouched(t *testing.T, sides [3]string) [3]string {
	for side, text := range sides {
		out, err := evaluated(t, map[string]string{"a.yaml": text}, func(list []byte) ([]byte, error) { return list, nil })
		if err != nil {
			t.Fatal(err)
		}
		sides[side] = out
	}
	return sides
}
