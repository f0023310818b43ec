package sink_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

func TestDiffShowsTheMergedLines(t *testing.T) {
	local := []pkgmerge.File{configMap("a.yaml", "1"), configMap("mine.yaml", "1")}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{{local[0]}, {configMap("a.yaml", "2")}, local})
	var b strings.Builder
	if err := (sink.Diff{To: &b, Read: local, Below: "shop"}).Write(context.Background(), result); err != nil {
		t.Fatal(err)
	}
	_, hunk, _ := strings.Cut(b.String(), "\n@@")
	want := " -4,4 +4,4 @@ apiVersion: v1\n kind: ConfigMap\n metadata: { name: a }\n data:\n-    a:   '1'\n\\ No newline at end of file\n+    a:   '2'\n\\ No newline at end of file\n"
	if !strings.HasPrefix(b.String(), "diff --git a/shop/a.yaml b/shop/a.yaml\n") || hunk != want {
		t.Errorf("got:\n%s", b.String())
	}
}

func TestDiffRefusesAResultThatFails(t *testing.T) {
	sides := [3][]pkgmerge.File{{configMap("a.yaml", "1")}, {configMap("a.yaml", "2")}, {configMap("a.yaml", "3")}}
	result := mergedFiles(t, pkgmerge.Options{Policy: pkgmerge.Prefer(merge.PreferFail)}, sides)
	var b strings.Builder
	if err := (sink.Diff{To: &b, Read: sides[2]}).Write(context.Background(), result); err == nil || b.Len() > 0 {
		t.Errorf("got %v and %q", err, b.String())
	}
}

// Control characters in contents do not reach a terminal, and binary files are only named.
func TestDiffForATerminal(t *testing.T) {
	read := []pkgmerge.File{{Name: "a", Mode: 0o644, Data: []byte("kept\x1b[2J\n\x1b[2Ja\u202eb\x1b[m\n")}, {Name: "b", Mode: 0o644, Data: []byte("\x00")}}
	merged := []pkgmerge.File{{Name: "a", Mode: 0o644, Data: []byte("kept\x1b[2J\na\tb\r\n")}, {Name: "b", Mode: 0o644, Data: []byte("\x00\x00")}}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{read, merged, read})
	for _, color := range []bool{true, false} {
		var b strings.Builder
		if err := (sink.Diff{To: &b, Read: read, Terminal: true, Color: color}).Write(context.Background(), result); err != nil {
			t.Fatal(err)
		}
		want := "\x1b[1mdiff --git a/a b/a\x1b[m\n\x1b[1mindex bfd742b..84b0091 100644\x1b[m\n\x1b[1m--- a/a\x1b[m\n\x1b[1m+++ b/a\x1b[m\n" +
			"\x1b[36m@@ -1,2 +1,2 @@\x1b[m\n kept\\u001b[2J\x1b[m\n\x1b[31m-\\u001b[2Ja\\u202eb\x1b[m\x1b[m\n\x1b[32m+a\tb\x1b[m\\u000d\n" +
			"\x1b[1mdiff --git a/b b/b\x1b[m\n\x1b[1mindex f76dd23..09f370e 100644\x1b[m\nBinary files a/b and b/b differ\n"
		if !color {
			want = strings.Replace(want, "b\x1b[m\x1b[m\n", "b\\u001b[m\n", 1)
			for _, code := range []string{"\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[m"} {
				want = strings.ReplaceAll(want, code, "")
			}
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Errorf("color %v: %s", color, d)
		}
	}
}
