package mergecheck

import (
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// CheckPackage objects to the faults of a merge of files, with markers and without.
func TestCheckPackageObjects(t *testing.T) {
	doc := func(name, fields string) string {
		return "kind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n" + fields
	}
	for _, tt := range []struct {
		name, o, u, l, result string
		told                  []Told
		want                  string
	}{
		{"right", doc("a", "  x: 1\n  y: 1\n"), doc("a", "  x: 2\n  y: 1\n"), doc("a", "  x: 1\n  y: 2\n"), doc("a", "  x: 2\n  y: 2\n"), nil, ""},
		{"a change lost", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 3\n"), doc("a", "  x: 3\n"), nil, "data.x: 2 is lost"},
		{"a change told", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 3\n"), doc("a", "  x: 3\n"), []Told{{Kind: "ConfigMap", Name: "a", Path: "data.x"}}, ""},
		{
			"both between markers", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 3\n"),
			doc("a", "<<<<<<< local\n  x: 3\n=======\n  x: 2\n>>>>>>> upstream\n"), nil, "",
		},
		{
			"the base between markers", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 3\n"),
			doc("a", "<<<<<<< local\n  x: 3\n||||||| origin\n  x: 1\n=======\n  x: 2\n>>>>>>> upstream\n"), nil, "",
		},
		{
			"sides of a marker swapped", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 3\n"),
			doc("a", "<<<<<<< local\n  x: 2\n=======\n  x: 3\n>>>>>>> upstream\n"), nil, "data.x: 2 is lost between markers",
		},
		{
			"a value of no side between markers", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 3\n"),
			doc("a", "<<<<<<< local\n  x: 3\n=======\n  x: 4\n>>>>>>> upstream\n"), nil, "4 is invented",
		},
		{"added by both, joined without a marker", "", doc("a", "  x: 1\n  z: 1\n"), doc("a", "  x: 1\n  y: 1\n"), doc("a", "  x: 1\n  y: 1\n  z: 1\n"), nil, "is not between markers"},
		{"added by both, the longer taken", "", doc("a", "  x: 1\n"), doc("a", "  x: 1\n  y: 1\n"), doc("a", "  x: 1\n  y: 1\n"), nil, ""},
		{"added by both, the shorter taken", "", doc("a", "  x: 1\n"), doc("a", "  x: 1\n  y: 1\n"), doc("a", "  x: 1\n"), nil, "is not between markers"},
		{"added by both, the longer one with another value", "", doc("a", "  x: 1\n"), doc("a", "  x: 2\n  y: 1\n"), doc("a", "  x: 2\n  y: 1\n"), nil, "is not between markers"},
		{"added by both, the longer one in another order", "", "l: [1, 2]\n", "l: [2, 1, 3]\n", "l: [2, 1, 3]\n", nil, "is not between markers"},
		{"added by both, an empty map", "", "m: {}\n", "m: {a: 1}\n", "m: {a: 1}\n", nil, "is not between markers"},
		{"a document lost", doc("a", "  x: 1\n"), doc("a", "  x: 1\n"), doc("a", "  x: 1\n") + "---\n" + doc("b", "  x: 1\n"), doc("a", "  x: 1\n"), nil, "ConfigMap /b: : a map is lost"},
		{"one of two namespaces lost", doc("a", "  x: 1\n"), doc("a", "  x: 1\n") + "---\nkind: R\nmetadata: {name: v, namespace: one}\n", doc("a", "  x: 1\n") + "---\nkind: R\nmetadata: {name: v, namespace: two}\n", doc("a", "  x: 1\n") + "---\nkind: R\nmetadata: {name: v, namespace: two}\n", nil, "R one/v: : a map is lost"},
		{"a change in another document", doc("a", "  x: 1\n") + "---\n" + doc("b", "  x: 1\n"), doc("a", "  x: 2\n") + "---\n" + doc("b", "  x: 1\n"), doc("a", "  x: 1\n") + "---\n" + doc("b", "  x: 1\n  y: 1\n"), doc("a", "  x: 1\n  y: 1\n") + "---\n" + doc("b", "  x: 2\n"), nil, "data.x: 2 is lost"},
		{"a kind arrives", "x: 1\ny: 1\n", "kind: K\nx: 1\ny: 1\n", "x: 1\ny: 2\n", "kind: K\nx: 1\ny: 2\n", nil, ""},
		{"a change lost where a kind arrives", "x: 1\ny: 1\n", "kind: K\nx: 1\ny: 1\n", "x: 1\ny: 2\n", "kind: K\nx: 1\ny: 1\n", nil, "y: 2 is lost"},
		{"a line lost", "{{ a }}\nb\n", "{{ a }}\nc\n", "{{ a }}\nb\n", "{{ a }}\nb\n", nil, `the line "c"`},
		{"lines right", "{{ a }}\nb\nc\nd\n", "{{ a }}\nB\nc\nd\n", "{{ a }}\nb\nc\nD\n", "{{ a }}\nB\nc\nD\n", nil, ""},
		{
			"each side uncomments other elements",
			"l:\n- a\n# one\n#- b\n# two\n#- c\n\nm:\n# x\n#- d\n\n# y\n#- e\n\n# z\n#- f\n\nn: 1\n", "l:\n- a\n# one\n#- b\n# two\n- c\n\nm:\n# x\n- d\n\n# y\n#- e\n\n# z\n#- f\n\nn: 1\n",
			"l:\n- a\n# one\n- b\n# two\n#- c\n\nm:\n# x\n#- d\n\n# y\n- e\n\n# z\n#- f\n\nn: 1\n", "l:\n- a\n# one\n- b\n# two\n- c\n\nm:\n# x\n- d\n\n# y\n- e\n\n# z\n#- f\n\nn: 1\n",
			nil, "",
		},
		{"no YAML any more", doc("a", "  x: 1\n"), doc("a", "  x: 2\n"), doc("a", "  x: 1\n"), doc("a", "  x: 2\n   y: 1\n"), nil, "has no YAML that can be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := func(text string) map[string]string {
				if text == "" {
					return nil
				}
				return map[string]string{"a.yaml": text}
			}
			p := Package{
				Origin: files(tt.o), Upstream: files(tt.u), Local: files(tt.l), Result: files(tt.result), Told: tt.told,
				Marks: tt.told == nil, Schema: schema.New(nil, nil, true),
			}
			objections := strings.Join(CheckPackage(p), "\n")
			if tt.want == "" && objections != "" || !strings.Contains(objections, tt.want) {
				t.Errorf("want %q, got:\n%s", tt.want, objections)
			}
		})
	}
}

// Resources of one identity in several files are compared file by file, also where a file has
// gone or local moved all to another namespace; a copy of a deleted resource may be gone.
func TestCheckPackageOfSeveralFiles(t *testing.T) {
	doc := func(namespace, v string) string {
		return "kind: A\nmetadata:\n  name: a\n  namespace: " + namespace + "\nv: " + v + "\n"
	}
	type files = map[string]string
	for _, tt := range []struct {
		name         string
		o, u, l, out files
		told         []Told
		want         string
	}{
		{"one file is new", files{"b": doc("x", "1")}, files{"a": doc("x", "3"), "b": doc("x", "2")}, files{"b": doc("x", "1")}, files{"a": doc("x", "3"), "b": doc("x", "2")}, nil, ""},
		{"changed in the other file", files{"a": doc("x", "1"), "b": doc("x", "1")}, files{"a": doc("x", "1"), "b": doc("x", "2")}, files{"a": doc("x", "1"), "b": doc("x", "1")}, files{"a": doc("x", "2"), "b": doc("x", "1")}, nil, "2 is lost"},
		{"told of the one file", files{"a": doc("x", "1"), "b": doc("x", "1")}, files{"a": doc("x", "2"), "b": doc("x", "2")}, files{"a": doc("x", "3"), "b": doc("x", "3")}, files{"a": doc("x", "2"), "b": doc("x", "2")}, []Told{{Kind: "A", Namespace: "x", Name: "a", File: "a", Path: "v"}}, "A x/a in b: v: 3 is lost"},
		{"a moved copy of what upstream deleted", files{"a": doc("x", "1")}, nil, files{"a": doc("y", "1")}, nil, nil, ""},
		{"a changed copy of what upstream deleted", files{"a": doc("x", "1")}, nil, files{"a": doc("y", "2")}, nil, nil, "2 is lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Package{Origin: tt.o, Upstream: tt.u, Local: tt.l, Result: tt.out, Told: tt.told, Schema: schema.New(nil, nil, true)}
			if objections := strings.Join(CheckPackage(p), "\n"); tt.want == "" && objections != "" || !strings.Contains(objections, tt.want) {
				t.Errorf("want %q, got:\n%s", tt.want, objections)
			}
		})
	}
}
