package pkgmerge_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// packageOf returns a package of files, given by name and text.
func packageOf(t testing.TB, texts map[string]string) pkgmerge.Package {
	t.Helper()
	var files []pkgmerge.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(texts[name])})
	}
	p, err := pkgmerge.NewPackage(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// mergedFiles returns the files of a merge without merge comments, by name.
func mergedFiles(t testing.TB, origin, upstream, local map[string]string, o pkgmerge.Options) (map[string]string, *pkgmerge.Result) {
	t.Helper()
	if o.MergeComments == pkgmerge.CommentChanged {
		o.MergeComments = pkgmerge.CommentRenamed
	}
	packages := [3]pkgmerge.Package{packageOf(t, origin), packageOf(t, upstream), packageOf(t, local)}
	result, err := pkgmerge.Merge(context.Background(), packages, o)
	if err != nil {
		t.Fatal(err)
	}
	files, err := result.Files()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		out[f.Name] = string(f.Data)
	}
	return out, result
}

func configMap(name string, data ...string) string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n"
	for i, d := range data {
		text += fmt.Sprintf("  k%d: %s\n", i, d)
	}
	return text
}

func check(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, found := got[name]; !found || text != want[name] {
			t.Errorf("%s (found: %t):\n%s\nwant:\n%s", name, found, text, want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, found := want[name]; !found {
			t.Errorf("%s is there:\n%s", name, got[name])
		}
	}
}

type tree = map[string]string

func TestFiles(t *testing.T) {
	const sep = "---\n"
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	a, b, c := configMap("a", "1", "1"), configMap("b", "1"), configMap("c", "1")
	for _, tt := range []struct {
		name                          string
		origin, upstream, local, want tree
	}{
		{"unchanged, whatever it is like",
			tree{"a.yaml": "# x\n--- # y\n" + a + "...\n# end"}, tree{"a.yaml": "# x\n--- # y\n" + a + "...\n# end"},
			tree{"a.yaml": "# x\r\n--- # z\n\n\n" + a + "\n\n" + sep + sep + "...\n# end", "b.txt": "b"},
			tree{"a.yaml": "# x\r\n--- # z\n\n\n" + a + "\n\n" + sep + sep + "...\n# end", "b.txt": "b"}},
		{"one field, in upstream",
			tree{"a.yaml": a + sep + b}, tree{"a.yaml": configMap("a", "1", "2") + sep + b},
			tree{"a.yaml": "# mine\n\n" + configMap("a", "mine", "1") + "\n" + sep + b + "# end"},
			tree{"a.yaml": "# mine\n\n" + configMap("a", "mine", "2") + "\n" + sep + b + "# end"}},
		{"local left the file alone: upstream's, with what is between",
			tree{"a.yaml": a + sep + b}, tree{"a.yaml": "# new\n" + sep + c + "\n\n--- # b\n" + b + "..."},
			tree{"a.yaml": a + sep + b}, tree{"a.yaml": "# new\n" + sep + c + "\n\n--- # b\n" + b + "..."}},
		{"only empty lines, in upstream",
			tree{"a.yaml": a}, tree{"a.yaml": "\n" + strings.ReplaceAll(a, "\ndata", "\n\ndata")},
			tree{"a.yaml": a}, tree{"a.yaml": "\n" + strings.ReplaceAll(a, "\ndata", "\n\ndata")}},
		{"one field, in upstream, and the last line break, in local",
			tree{"a.yaml": a}, tree{"a.yaml": configMap("a", "1", "2")}, tree{"a.yaml": strings.TrimSuffix(a, "\n")},
			tree{"a.yaml": strings.TrimSuffix(configMap("a", "1", "2"), "\n")}},
		{"only an empty line in a comment, in upstream",
			tree{"a.yaml": "a: 1\n# b\n# c\nd: 1\n"}, tree{"a.yaml": "a: 1\n# b\n\n# c\nd: 1\n"},
			tree{"a.yaml": "a: 1\n# b\n# c\nd: 1\n"}, tree{"a.yaml": "a: 1\n# b\n\n# c\nd: 1\n"}},
		{"only a comment in an element that is there twice, in upstream",
			tree{"a.yaml": "a:\n- name: b\n- name: b\n"}, tree{"a.yaml": "a:\n- name: b\n- name: b # c\n"},
			tree{"a.yaml": "a:\n- name: b\n- name: b\n"}, tree{"a.yaml": "a:\n- name: b\n- name: b # c\n"}},
		{"keys in another order and a value, in upstream",
			tree{"a.yaml": "a: 1\nb: 2\n# c\nc: 3\n"}, tree{"a.yaml": "# c\nc: 3\nb: 4\na: 1\n"},
			tree{"a.yaml": "a: 1\nb: 2\n# c\nc: 3\n"}, tree{"a.yaml": "# c\nc: 3\nb: 4\na: 1\n"}},
		{"removed upstream, first of a file with a licence",
			tree{"a.yaml": "# Licence\n\n# a\n" + a + sep + b}, tree{"a.yaml": "# Licence\n\n" + b},
			tree{"a.yaml": "# Licence\n\n# a\n" + a + sep + "# mine\n" + b}, tree{"a.yaml": "# Licence\n\n# mine\n" + b}},
		{"added upstream, to a file with CRLF",
			tree{"a.yaml": crlf(a)}, tree{"a.yaml": crlf(a) + sep + c}, tree{"a.yaml": crlf(configMap("a", "mine", "1"))},
			tree{"a.yaml": crlf(configMap("a", "mine", "1") + sep + c)}},
		{"added upstream in a new file, byte for byte",
			tree{"a.yaml": a}, tree{"a.yaml": a, "b/c.yaml": "# c\r\n" + sep + c + "\n\n"}, tree{"a.yaml": a},
			tree{"a.yaml": a, "b/c.yaml": "# c\r\n" + sep + c + "\n\n"}},
		{"the last of a file goes",
			tree{"a.yaml": a, "b.yaml": "# b\n" + sep + b}, tree{"a.yaml": a}, tree{"a.yaml": a, "b.yaml": "# b\n" + sep + b},
			tree{"a.yaml": a}},
		{"moved upstream to another file",
			tree{"a.yaml": a, "b.yaml": b}, tree{"b.yaml": b + sep + a}, tree{"a.yaml": configMap("a", "mine", "1"), "b.yaml": b},
			tree{"b.yaml": b + sep + configMap("a", "mine", "1")}},
		{"moved upstream to a new file",
			tree{"a.yaml": a + sep + b}, tree{"a.yaml": b, "c.yaml": "# c\n\n" + a}, tree{"a.yaml": configMap("a", "mine", "1") + sep + b},
			tree{"a.yaml": b, "c.yaml": "# c\n\n" + configMap("a", "mine", "1")}},
		{"a licence changed, of a file that local changed",
			tree{"a.yaml": "# Licence 1\n\n" + a}, tree{"a.yaml": "# Licence 2\n\n# a\n" + a}, tree{"a.yaml": "# Licence 1\n\n" + configMap("a", "mine", "1")},
			tree{"a.yaml": "# Licence 2\n\n# a\n" + configMap("a", "mine", "1")}},
		{"values without a kind",
			tree{"values.yaml": "a: 1\nb:\n  c: 1\n"}, tree{"values.yaml": "a: 1\nb:\n  c: 2\n"},
			tree{"values.yaml": "a: 3 # mine\nb:\n    c:   1\n"}, tree{"values.yaml": "a: 3 # mine\nb:\n    c:   2\n"}},
		{"a dashboard in JSON",
			tree{"d.json": `{"title": "a", "panels": [1, 2]}`}, tree{"d.json": `{"title": "b", "panels": [1, 2]}`},
			tree{"d.json": "{\n\t\"title\": \"a\",\n\t\"panels\": [1, 3]\n}"}, tree{"d.json": "{\n\t\"title\": \"b\",\n\t\"panels\": [1, 3]\n}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := mergedFiles(t, tt.origin, tt.upstream, tt.local, pkgmerge.Options{})
			check(t, got, tt.want)
		})
	}
}
