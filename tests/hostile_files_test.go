package tests

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// drawScraps draws a file of scraps of YAML, JSON and of neither.
func drawScraps(t *rapid.T) string {
	scraps := []string{
		"---\n", "---", "--- # c\n", "--- {kind: A}\n", "...\n", "%YAML 1.2\n", "# c\n", "\n", "kind: A\n", "kind: B\r\n", "a: 1\n", "a: 2\n", "b: &x {c: *x}\n",
		"c: |\n  ---\n\n", "- a\n", "{\"kind\": \"A\", \"a\": [1, 2]}", "{", "]", "\t", "metadata: {name: n}\n", "metadata:\n  name: m\n", "\"\n", "'", ": ", "? x\n: y\n",
		"d: null\n", "e: ~\n", "<<: {a: 1}\n", "\x01", "\u0085", "\u2028", "\uFEFF", "{{ x }}\n", "f: {{ x }}\n", "g: !t x\n", "\r", "h:\n- name: a\n  v: 1\n- name: b\n",
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(scraps), 0, 8).Draw(t, "scraps"), "")
}

// Whatever is in the files, a merge ends well, and what upstream left alone stays
// local's to the byte; but one resource twice in a file is an error.
func TestHostileFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var packages [3]pkgmerge.Package
		var texts [3]string
		for side := range packages {
			texts[side] = drawScraps(t)
			p, err := pkgmerge.NewPackage([]pkgmerge.File{
				{Name: "a.yaml", Mode: 0o644, Data: []byte(texts[side])}, {Name: "z", Mode: 0o644, Data: []byte("z")},
			})
			if err != nil {
				t.Fatal(err)
			}
			packages[side] = p
		}
		o, u, l := packages[0], packages[1], packages[2]
		for _, versions := range [2][3]pkgmerge.Package{{o, u, l}, {o, o, l}} {
			result, err := pkgmerge.Merge(context.Background(), versions, pkgmerge.Options{MergeComments: pkgmerge.CommentRenamed})
			if err != nil {
				if !strings.Contains(err.Error(), "twice") && !strings.Contains(err.Error(), "same") {
					t.Fatalf("%q: %v", texts, err)
				}
				continue
			}
			files, err := result.Files()
			if err != nil {
				t.Fatal(err)
			}
			if &versions[1].Files[0] == &o.Files[0] && !hasNull(l) && (len(files) != 2 || string(files[0].Data) != texts[2]) {
				t.Fatalf("%q became %q of origin %q", texts[2], files, texts[0])
			}
		}
	})
}

// hasNull reports whether there is a null in a file, which may be a deletion
// (rules/fields: null).
func hasNull(p pkgmerge.Package) bool {
	var below func(*yaml.Node) bool
	below = func(n *yaml.Node) bool {
		return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" || slices.ContainsFunc(n.Content, below)
	}
	return slices.ContainsFunc(p.Resources, func(r *pkgmerge.Resource) bool {
		tree, err := r.Tree()
		return err == nil && below(tree)
	})
}
