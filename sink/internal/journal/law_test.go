package journal

import (
	"context"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// drawFiles draws a package with few names, so that files become directories and directories files.
func drawFiles(t *rapid.T, label string) []pkgmerge.File {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab](/[ab]){0,3}`), 0, 8, rapid.ID).Draw(t, label)
	taken := map[string]bool{}
	var files []pkgmerge.File
	for i, name := range names {
		if taken[name] || clashes(files, name) {
			continue
		}
		for _, dir := range parents(name) {
			taken[dir] = true
		}
		kind := rapid.IntRange(0, 5).Draw(t, label+strconv.Itoa(i))
		switch text := strconv.Itoa(kind / 2); {
		case kind == 0:
			files = append(files, link(name, text))
		case kind == 1:
			files = append(files, script(name, text))
		default:
			files = append(files, file(name, text))
		}
	}
	return files
}

// clashes reports whether a directory above a name is a file.
func clashes(files []pkgmerge.File, name string) bool {
	for _, dir := range parents(name) {
		for _, f := range files {
			if f.Name == dir {
				return true
			}
		}
	}
	return false
}

func TestLawAllOrNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		before, after := drawFiles(rt, "before"), drawFiles(rt, "after")
		dir, want := directoryOf(t, before...), treeOf(t, directoryOf(t, after...))
		failed := false
		stop := rapid.IntRange(0, 150).Draw(rt, "stop")
		if err := replace(context.Background(), dir, before, after, from(stop, &failed)); err != nil {
			if !failed {
				rt.Fatal(err)
			}
			want = treeOf(t, directoryOf(t, before...))
		}
		if _, err := Recover(dir); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, treeOf(t, dir)); diff != "" {
			rt.Fatalf("want none or all of it:\n%s", diff)
		}
	})
}
