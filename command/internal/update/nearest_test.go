package update

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestNearest: of many versions the one is found that a copy was made of, also if the copy has other indentation and edits, and the newest
// one of those with the same file. No more versions are compared field by field than need be.
func TestNearest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := func(indent string, version int, extra string) string {
		out := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n" + indent + "name: a\ndata:\n"
		for field := range 30 {
			out += fmt.Sprintf("%sf%d: \"%t\"\n", indent, field, field < version)
		}
		return out + extra
	}
	var names []string
	for version := range 30 {
		name := fmt.Sprintf("1.%d.0", version)
		names = append(names, name)
		write("up/"+name+"/a.yaml", text("  ", version-version%2, ""))
		write("up/"+name+"/other.yaml", fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: s%d}\n", version))
	}
	for version, extra := range map[int]string{4: "", 15: "    mine: 1\n"} {
		write("copy/a.yaml", text("    ", version-version%2, extra))
		tracked, err := Track(filepath.Join(dir, "copy"), filepath.Join(dir, "up", "{version}"))
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := tracked.nearLines(t.Context(), names, func(int, int) {})
		if err != nil || len(chosen) < maxMeasured || len(chosen) > maxMeasured+3 {
			t.Errorf("%d: %q, %v", version, chosen, err)
		}
		nearest, all, err := tracked.Nearest(t.Context(), pkgmerge.Options{}, func(int, int) {})
		if want := fmt.Sprintf("1.%d.0", version-version%2+1); err != nil || nearest.Version.Name != want || all != len(names) {
			t.Errorf("%d: %q of %d, %v; want %s", version, nearest.Version.Name, all, err, want)
		}
	}
}
