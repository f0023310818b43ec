package sink_test

import (
	"context"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

func TestStream(t *testing.T) {
	file := func(name, data string) pkgmerge.File {
		return pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(data)}
	}
	const a, b = "kind: A\nmetadata: {name: a}\n", "kind: B\nmetadata: {name: b}\n"
	for _, c := range []struct {
		name  string
		files []pkgmerge.File
		want  string
	}{
		{"one file keeps its bytes", []pkgmerge.File{file("a.yaml", "\ufeff# a\r\n---\r\nkind: A")}, "\ufeff# a\r\n---\r\nkind: A"},
		{"two files", []pkgmerge.File{file("a.yaml", a), file("b.yaml", b)}, a + "---\n" + b},
		{"no line break at the end", []pkgmerge.File{file("a.yaml", strings.TrimSpace(a)), file("b.yaml", strings.TrimSpace(b))}, a + "---\n" + strings.TrimSpace(b)},
		{"a separator of its own", []pkgmerge.File{file("a.yaml", a), file("b.yaml", "# b\n\n--- # c\n"+b)}, a + "# b\n\n--- # c\n" + b},
		{"a directive", []pkgmerge.File{file("a.yaml", a), file("b.yaml", "%YAML 1.2\n---\n"+b)}, a + "...\n%YAML 1.2\n---\n" + b},
		{"other line ends, and a byte order mark", []pkgmerge.File{file("a.yaml", a), file("b.yaml", "\ufeffkind: B\r\n")}, a + "---\r\nkind: B\r\n"},
		{"JSON", []pkgmerge.File{file("a.json", `{"kind": "A"}`), file("b.yaml", b)}, `{"kind": "A"}` + "\n---\n" + b},
		{"no resources", []pkgmerge.File{file("README.md", "# a\n"), file("a.yaml", a), file("values.yaml", "a: 1\n")}, a},
		{"a document that cannot be read, alone", []pkgmerge.File{file("a.yaml", "kind: A\nx: 1\nx: 2\n")}, "kind: A\nx: 1\nx: 2\n"},
		{"text alone", []pkgmerge.File{file("README.md", "# a\n")}, "# a\n"},
		{"values alone", []pkgmerge.File{file("README.md", "# a\n"), file("values.yaml", "a: 1\n")}, "a: 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{c.files, c.files, c.files})
			if err := (sink.Stream{To: &b}).Write(context.Background(), result); err != nil {
				t.Fatal(err)
			}
			if b.String() != c.want {
				t.Errorf("got:\n%q\nwant:\n%q", b.String(), c.want)
			}
		})
	}
}

func TestStreamOfResourcesWithoutFiles(t *testing.T) {
	var b strings.Builder
	if err := (sink.Stream{To: &b}).Write(context.Background(), merged(t, resource(t, "b.yaml", 0, "b", "1"), resource(t, "a.yaml", 0, "a", "1"))); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "---\n") != 1 || strings.Index(got, "name: a") > strings.Index(got, "name: b") {
		t.Errorf("got:\n%s", got)
	}
}
