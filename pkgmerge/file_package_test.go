package pkgmerge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

func kptfile(name, more string) string {
	return "# Kptfile\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n    name: " + name + "\n" + more
}

// Files in a subpackage that is left alone stay as local has them, or stay away
// (rules/kptfiles: subpackages).
func TestFilesOfSubpackages(t *testing.T) {
	upstream := func(version string) string {
		return "upstream:\n    git:\n        ref: " + version + "\n"
	}
	origin := tree{"Kptfile": kptfile("a", ""), "own/Kptfile": kptfile("own", upstream("v1")), "own/a.txt": "1", "gone/Kptfile": kptfile("gone", ""), "gone/a.txt": "1"}
	theirs := tree{"Kptfile": kptfile("a", ""), "own/Kptfile": kptfile("own", upstream("v2")), "own/a.txt": "2", "own/b.txt": "2", "gone/Kptfile": kptfile("gone", ""), "gone/a.txt": "2", "gone/b.txt": "2"}
	local := tree{"Kptfile": kptfile("mine", upstream("v1")), "own/Kptfile": kptfile("own", upstream("v7")), "own/a.txt": "1"}
	got, _ := mergedFiles(t, origin, theirs, local, pkgmerge.Options{})
	check(t, got, local)
}

// The fields of a Kptfile about the copy stay local's, even in a file that local did not change.
func TestKptfileOfFiles(t *testing.T) {
	local := kptfile("a", "upstream:\n    git:\n        ref: v1\n")
	got, _ := mergedFiles(t, tree{"Kptfile": local}, tree{"Kptfile": kptfile("b", "info:\n    description: new\n")}, tree{"Kptfile": local}, pkgmerge.Options{})
	check(t, got, tree{"Kptfile": kptfile("a", "upstream:\n    git:\n        ref: v1\ninfo:\n    description: new\n")})
}

// Documents without a kind are matched by their position in the file.
func TestDocumentsWithoutKind(t *testing.T) {
	file := func(values ...string) tree {
		return tree{"a.yaml": "a: " + strings.Join(values, "\n---\na: ") + "\n"}
	}
	for _, tt := range []struct{ name, origin, upstream, local, want string }{
		{"changed on both sides", "1 2 3", "1 2 4", "5 2 3", "5 2 4"},
		{"added upstream", "1 2", "1 2 3", "5 2", "5 2 3"},
		{"added locally", "1 2", "1 4", "1 2 3", "1 4 3"},
		{"deleted upstream", "1 2", "1", "5 2", "5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := mergedFiles(t, file(strings.Fields(tt.origin)...), file(strings.Fields(tt.upstream)...), file(strings.Fields(tt.local)...), pkgmerge.Options{})
			check(t, got, file(strings.Fields(tt.want)...))
		})
	}
}

// A document that is added to a file of another form, KYAML or lines, gets that form.
func TestDocumentsOfAnotherForm(t *testing.T) {
	const (
		lines = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: \"1\"\n"
		more  = "---\n# more\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b # b\ndata:\n  b: |\n    x\n    y\n"
		kyaml = "---\n{\n  apiVersion: \"v1\",\n  kind: \"ConfigMap\",\n  metadata: {\n    name: \"a\",\n  },\n  data: {\n    a: \"1\",\n  },\n}\n"
		other = "---\n{\n  # more\n  apiVersion: \"v1\",\n  kind: \"ConfigMap\",\n  metadata: {\n    name: \"b\", # b\n  },\n  data: {\n    b: \"\\\n       x\\n\\\n       y\\n\\\n      \",\n  },\n}\n"
	)
	own := func(text string) string { return strings.ReplaceAll(text, `"1"`, `"2"`) }
	for _, tt := range []struct{ name, origin, upstream, local, want string }{
		{"lines into KYAML", lines, lines + more, own(kyaml), own(kyaml) + other},
		{"KYAML into lines", kyaml, kyaml + other, own(lines), own(lines) + more},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := mergedFiles(t, tree{"a.yaml": tt.origin}, tree{"a.yaml": tt.upstream}, tree{"a.yaml": tt.local}, pkgmerge.Options{})
			check(t, got, tree{"a.yaml": tt.want})
		})
	}
}

// Merge comments are written if the options ask for them.
func TestMergeCommentsOfFiles(t *testing.T) {
	a, b := configMap("a", "1"), configMap("b", "1")
	commented := func(text, name string) string {
		return strings.Replace(text, "metadata:", "metadata: # kpt-merge: /"+name, 1)
	}
	changed := tree{"a.yaml": strings.ReplaceAll(a, "k0: 1", "k0: 2"), "b.yaml": b}
	local := tree{"a.yaml": a, "b.yaml": strings.ReplaceAll(b, "name: b", "name: b\n  namespace: mine")}
	for _, tt := range []struct {
		comments pkgmerge.MergeComments
		want     tree
	}{
		{pkgmerge.CommentNever, tree{"a.yaml": changed["a.yaml"], "b.yaml": local["b.yaml"]}},
		{pkgmerge.CommentRenamed, tree{"a.yaml": changed["a.yaml"], "b.yaml": commented(local["b.yaml"], "b")}},
		{pkgmerge.CommentAlways, tree{"a.yaml": commented(changed["a.yaml"], "a"), "b.yaml": commented(local["b.yaml"], "b")}},
	} {
		packages := [3]pkgmerge.Package{packageOf(t, tree{"a.yaml": a, "b.yaml": b}), packageOf(t, changed), packageOf(t, local)}
		result, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{MergeComments: tt.comments})
		if err != nil {
			t.Fatal(err)
		}
		files, err := result.Files()
		if err != nil {
			t.Fatal(err)
		}
		got := tree{}
		for _, f := range files {
			got[f.Name] = string(f.Data)
		}
		check(t, got, tt.want)
	}
}

// A name cannot be a file and a directory.
func TestFileWhereADirectoryIs(t *testing.T) {
	packages := [3]pkgmerge.Package{packageOf(t, tree{"x": ""}), packageOf(t, tree{"x": "", "a/b": ""}), packageOf(t, tree{"x": "", "a": ""})}
	_, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{})
	if err == nil || err.Error() != "a is a file on one side and a directory with b on another" {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"../a", "/a", "a//b", "", ".", "a/../b"} {
		if _, err := pkgmerge.NewPackage([]pkgmerge.File{{Name: name}}); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

// The Kptfile of the copy stays under every strategy, if the package has none.
func TestOwnKptfile(t *testing.T) {
	own := kptfile("mine", "upstream:\n    git:\n        ref: v1\n")
	origin, upstream := tree{"a.yaml": configMap("a", "1")}, tree{"a.yaml": configMap("a", "2")}
	local := tree{"Kptfile": own, "a.yaml": configMap("a", "1")}
	for _, strategy := range pkgmerge.Strategies() {
		t.Run(strategy.Name(), func(t *testing.T) {
			got, _ := mergedFiles(t, origin, upstream, local, pkgmerge.Options{Strategy: strategy})
			check(t, got, tree{"Kptfile": own, "a.yaml": configMap("a", "2")})
		})
	}
}

// TestOwnResourcesOfFiles: the resources of a package count where they differ from its files, also where local moved
// another file to a directory.
func TestOwnResourcesOfFiles(t *testing.T) {
	text := func(value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: " + value + "\n"
	}
	var packages [3]pkgmerge.Package
	for side, files := range [3]tree{{"a.yaml": text("one"), "README": "hello\n"}, {"a.yaml": text("one"), "README": "hello\n"}, {"a.yaml": text("one"), "docs/README": "hello\n"}} {
		packages[side] = packageOf(t, files)
	}
	packages[1].Resources = packageOf(t, tree{"a.yaml": text("two")}).Resources
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{MergeComments: pkgmerge.CommentNever})
	if err != nil {
		t.Fatal(err)
	}
	files, err := result.Files()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(files[0].Data); got != text("two") {
		t.Errorf("%s is\n%s", files[0].Name, got)
	}
}
