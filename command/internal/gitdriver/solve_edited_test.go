package gitdriver_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// places is a manifest with fields x and y in three distant maps.
func places(x, y int) string {
	out := "apiVersion: example.com/v1\nkind: Place\nmetadata:\n  name: a\nspec:\n"
	for _, place := range []string{"one", "two", "three"} {
		out += fmt.Sprintf("  %[1]s:\n    x: %[2]d\n    y: %[3]d\n", place, x, y)
		for i := range 6 {
			out += fmt.Sprintf("  %s%d: a\n", place, i)
		}
	}
	return out
}

// unsolved is a repository in which git has stopped: ours changed each x, theirs each y.
func unsolved(t *testing.T, style string) repository {
	t.Helper()
	r := newRepository(t)
	r.write(".gitattributes", "")
	r.git("config", "merge.conflictStyle", style)
	r.branches(map[string]string{"a.yaml": places(1, 1)}, map[string]string{"a.yaml": places(2, 1)}, map[string]string{"a.yaml": places(1, 2)})
	r.fails("merge", "theirs")
	if n := strings.Count(r.read("a.yaml"), "<<<<<<<"); n != 3 {
		t.Fatalf("git left %d markers:\n%s", n, r.read("a.yaml"))
	}
	return r
}

// copied is r with a copy of its directory, for a test of t.
func (r repository) copied(t *testing.T) repository {
	t.Helper()
	copied := repository{T: t, dir: t.TempDir(), env: r.env}
	if err := os.CopyFS(copied.dir, os.DirFS(r.dir)); err != nil {
		t.Fatal(err)
	}
	return copied
}

// conflicts returns the conflicts of a text with their markers.
func conflicts(text string) (out []string) {
	for rest := text; strings.Contains(rest, "<<<<<<<"); {
		rest = rest[strings.Index(rest, "<<<<<<<"):]
		end := strings.Index(rest, ">>>>>>>")
		end += strings.Index(rest[end:], "\n") + 1
		out = append(out, rest[:end])
		rest = rest[end:]
	}
	return out
}

// TestSolveKeepsEdits: a file that was edited since git stopped keeps every edit and is not added
// to the index. Only markers that are still git's, between unedited texts, are solved.
func TestSolveKeepsEdits(t *testing.T) {
	replace := func(pairs ...string) func(string, []string) string {
		return func(text string, _ []string) string { return strings.NewReplacer(pairs...).Replace(text) }
	}
	stopped := map[string]repository{}
	for _, style := range []string{"merge", "diff3", "zdiff3"} {
		stopped[style] = unsolved(t, style)
	}
	number := 0
	for name, test := range map[string]struct {
		edit func(text string, markers []string) string
		// solved says which of the markers that git left are solved.
		solved [3]bool
	}{
		"the first settled": {func(text string, m []string) string { return strings.Replace(text, m[0], "    x: 7\n    y: 7\n", 1) }, [3]bool{1: true, 2: true}},
		"the last settled":  {func(text string, m []string) string { return strings.Replace(text, m[2], "    x: 7\n", 1) }, [3]bool{true, true, false}},
		"all but the middle settled": {func(text string, m []string) string {
			return strings.NewReplacer(m[0], "    x: 7\n", m[2], "").Replace(text)
		}, [3]bool{1: true}},
		"settled and a line added beside it": {func(text string, m []string) string {
			return strings.Replace(text, m[0], "    x: 7\n    z: 7\n", 1)
		}, [3]bool{1: true, 2: true}},
		"edited between two markers": {replace("one3: a", "one3: b"), [3]bool{2: true}},
		"a line added at the end":    {replace("  three5: a\n", "  three5: a\n  three6: a\n"), [3]bool{true, true, false}},
		"a line added at the top":    {replace("apiVersion:", "# mine\napiVersion:"), [3]bool{1: true, 2: true}},
		"edited everywhere":          {replace("one3: a", "one3: b", "two3: a", "two3: b", "three3: a", "three3: b"), [3]bool{}},
		"edited inside of the first": {func(text string, m []string) string { return strings.Replace(text, "    x: 2\n", "    x: 3\n", 1) }, [3]bool{1: true, 2: true}},
		"half of the first settled":  {func(text string, m []string) string { return strings.Replace(text, "<<<<<<< HEAD\n", "", 1) }, [3]bool{}},
		"no YAML any more":           {func(text string, m []string) string { return strings.Replace(text, m[0], "    {\n", 1) }, [3]bool{}},
		"the same field once more":   {func(text string, m []string) string { return strings.Replace(text, m[0], "    x: 1\n    x: 1\n", 1) }, [3]bool{}},
	} {
		for style, repository := range stopped {
			if number++; number%seed.Step(3) != 0 { // the order of the styles is another one for each edit, and in each run
				continue
			}
			t.Run(name+"/"+style, func(t *testing.T) {
				r := repository.copied(t)
				left := r.read("a.yaml")
				markers := conflicts(left)
				mine := test.edit(left, markers)
				r.write("a.yaml", mine)
				want := mine
				for i, solved := range test.solved {
					if solved {
						// The markers are alike: the one after this text is meant.
						before, after, _ := strings.Cut(want, "  "+[3]string{"one", "two", "three"}[i]+":\n")
						want = before + "  " + [3]string{"one", "two", "three"}[i] + ":\n" + strings.Replace(after, markers[i], "    x: 2\n    y: 2\n", 1)
					}
				}
				out, err := r.try("-c", "alias.solve=!resource-merge git solve", "solve")
				if err == nil {
					t.Errorf("exit code 0:\n%s", out)
				}
				if got := r.read("a.yaml"); got != want {
					t.Errorf("%s\ngot\n%s\nwant\n%s", out, got, want)
				}
				if index := r.git("ls-files", "--unmerged"); index == "" {
					t.Error("the file is staged")
				}
			})
		}
	}
}

// TestSolveKnowsTheFileThatGitLeft: an unedited file is solved whatever the style and labels of its
// markers are, and a file that was checked out from one side counts as edited.
func TestSolveKnowsTheFileThatGitLeft(t *testing.T) {
	for name, test := range map[string]struct {
		then   []string
		solved bool
	}{
		"as it is":             {[]string{"status"}, true},
		"another style":        {[]string{"checkout", "--conflict=diff3", "a.yaml"}, true},
		"markers made anew":    {[]string{"checkout", "--merge", "a.yaml"}, true},
		"ours checked out":     {[]string{"checkout", "--ours", "a.yaml"}, false},
		"theirs checked out":   {[]string{"checkout", "--theirs", "a.yaml"}, false},
		"the base checked out": {[]string{"checkout", "HEAD~1", "--", "a.yaml"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := unsolved(t, "merge")
			r.git(test.then...)
			was := r.read("a.yaml")
			out, err := r.try("-c", "alias.solve=!resource-merge git solve", "solve")
			got := r.read("a.yaml")
			if solved := err == nil && got == places(2, 2); solved != test.solved && r.git("ls-files", "--unmerged") != "" {
				t.Errorf("solved: %v\n%s%s", solved, out, got)
			} else if !solved && got != was {
				t.Errorf("%s\ngot\n%s\nwant\n%s", out, got, was)
			}
		})
	}
}

// TestSolveDropsNothingThatMoved: a resource that moved from one conflict into another is kept when
// the first was settled without it.
func TestSolveDropsNothingThatMoved(t *testing.T) {
	block := func(name string, n int) string {
		return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  a: \"%d\"\n  b: \"%[2]d\"\n", name, n)
	}
	fill := ""
	for i := range 4 {
		fill += block(fmt.Sprint("fill", i), i)
	}
	r := newRepository(t)
	r.write(".gitattributes", "")
	r.branches(map[string]string{"a.yaml": block("moved", 1) + fill + block("last", 1)},
		map[string]string{"a.yaml": block("moved", 2) + fill + block("last", 2)},
		map[string]string{"a.yaml": fill + block("last", 1) + block("moved", 1)})
	r.fails("merge", "theirs")
	left := r.read("a.yaml")
	markers := conflicts(left)
	if len(markers) < 1 {
		t.Fatalf("git left\n%s", left)
	}
	mine := strings.Replace(left, markers[0], "", 1)
	r.write("a.yaml", mine)
	_, _ = r.try("-c", "alias.solve=!resource-merge git solve", "solve")
	if got := r.read("a.yaml"); !strings.Contains(got, "name: moved") {
		t.Errorf("got\n%s\nof\n%s", got, mine)
	}
}

// TestSolveKeepsLabelsAndStyle: a conflict that is left has the labels and the style of the markers in the file,
// whether the file was edited since git stopped or not.
func TestSolveKeepsLabelsAndStyle(t *testing.T) {
	for name, then := range map[string][]string{"merge": {"status"}, "diff3": {"checkout", "--conflict=diff3", "a.yaml"}} {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", edited), func(t *testing.T) {
				r := newRepository(t)
				r.write(".gitattributes", "")
				one := func(x int) string { return strings.Replace(places(x, 1), "    y: 1\n", "", 2) }
				r.branches(map[string]string{"a.yaml": one(1)}, map[string]string{"a.yaml": one(2)}, map[string]string{"a.yaml": one(3)})
				r.fails("merge", "theirs")
				r.git(then...)
				want := r.read("a.yaml")
				if edited {
					want = strings.Replace(want, conflicts(want)[2], "    x: 7\n", 1)
					r.write("a.yaml", want)
				}
				out, _ := r.try("-c", "alias.solve=!resource-merge git solve", "solve")
				if got := r.read("a.yaml"); got != want {
					t.Errorf("%s\ngot\n%s\nwant\n%s", out, got, want)
				}
			})
		}
	}
}
