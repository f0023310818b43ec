package caselist

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWrite: a case reads as it was written, also where an archive cannot hold a file.
func TestWrite(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "lists"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "lists", "keyed.txtar"), []byte("About.\n-- local.yaml --\na: b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{"README.md": []byte("About.\n"), "local.yaml": []byte("a: b\n")}
	for _, text := range []string{"a: c\n", "", "a: c", "a: c\r\n", "-- x --\n", "a: d\n"} {
		if err := (Case{Name: "lists/keyed"}).Write(root, "expected.yaml", []byte(text)); err != nil {
			t.Fatal(err)
		}
		want["expected.yaml"] = []byte(text)
		cases, err := Read(root)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Case{{"lists/keyed", want}}, cases); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}
