package main

import (
	"testing"
)

// TestApply edits texts; all other lines stay.
func TestApply(t *testing.T) {
	const text = "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\nc: |\n  one\n  two\nd: {}\n"
	for _, test := range []struct{ name, edits, want string }{
		{"set", "[{set: a, to: 2}]", "a: 2 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\nc: |\n  one\n  two\nd: {}\n"},
		{"set in all", "[{set: 'b[*].v', to: w}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: w\n  - name: z\n    v: w\nc: |\n  one\n  two\nd: {}\n"},
		{"set what is absent", "[{set: 'b[name=z].w.v', to: 1}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\n    w:\n      v: 1\nc: |\n  one\n  two\nd: {}\n"},
		{"append", "[{append: b, to: {name: n}}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\n  - {name: n}\nc: |\n  one\n  two\nd: {}\n"},
		{"remove", "[{remove: 'b[1]'}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\nc: |\n  one\n  two\nd: {}\n"},
		{"remove a field", "[{remove: c}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\nd: {}\n"},
		{"replace", "[{replace: 'b[*].v', old: '^', new: x}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: xy\n  - name: z\nc: |\n  one\n  two\nd: {}\n"},
		{"replace in a line", "[{replace: c, old: o, new: '0', line: 2}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\nc: |\n  one\n  tw0\nd: {}\n"},
		{"comment", "[{comment: c, text: Ours.}]", "a: 1 # one\nb:\n  # first\n  - name: x\n    v: 'y'\n  - name: z\n# Ours.\nc: |\n  one\n  two\nd: {}\n"},
		{"nothing there", "[{set: 'e[0].f', to: 1}]", text},
		{"unusual layout", "[{append: d.e, to: 1}]", text},
	} {
		t.Run(test.name, func(t *testing.T) {
			edits, err := readEdits([]byte(test.edits))
			if err != nil {
				t.Fatal(err)
			}
			got, done := edits[0].apply(text)
			if got != test.want || done != (test.want != text) {
				t.Errorf("got %v\n%s\nwant\n%s", done, got, test.want)
			}
		})
	}
}

func TestLocalise(t *testing.T) {
	edits, err := readEdits([]byte("[{kind: Service, rename: my-}, {kind: Deployment, delete: true}]"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := fork{edits: edits}.localise(tree{"web.yaml": web})
	if err != nil {
		t.Fatal(err)
	}
	const want = "---\napiVersion: v1\nkind: Service\nmetadata: # kpt-merge: shop/web\n  name: my-web\n  namespace: shop\nspec:\n  ports:\n  - port: 80\n"
	if made.files["web.yaml"] != want || made.edits != 2 || len(made.resources) != 1 || made.resources[0].origin.id.name != "web" {
		t.Errorf("got %+v\n%s", made, made.files["web.yaml"])
	}
}

func TestReadEdits(t *testing.T) {
	for _, text := range []string{"[{}]", "[{set: a, remove: b}]", "[{other: a}]", "[{replace: a, old: '('}]"} {
		if _, err := readEdits([]byte(text)); err == nil {
			t.Errorf("%s: want an error", text)
		}
	}
	if forks, err := readForks(""); err != nil || len(forks) < 2 {
		t.Errorf("the usual forks: %v, %v", forks, err)
	}
}
