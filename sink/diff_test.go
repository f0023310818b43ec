package sink_test

import (
	"context"
	"strings"
	"testing"

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
