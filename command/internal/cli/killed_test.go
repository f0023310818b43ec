package cli_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A merge that is killed at any instant leaves the package as it was or as it is to be,
// once recover was called: nothing is lost and nothing is left behind (rules/files:
// interrupted runs).
func TestKilledMerge(t *testing.T) {
	base := t.TempDir()
	local := filepath.Join(base, "local")
	for side, value := range map[string]string{"v1": "1", "v2": "2", "local": "1"} {
		for i := range 30 {
			file := filepath.Join(base, side, fmt.Sprintf("d%d", i%4), fmt.Sprintf("f%d.yaml", i))
			if side == "v2" && i%10 == 0 {
				file = filepath.Join(base, side, fmt.Sprintf("new%d.yaml", i))
			}
			text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\ndata:\n  a: %q\n", i, value)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	merge := []string{"merge", "--origin", "v1", "--upstream", "v2", "--write", "--force", "--local"}
	copied := func(name string) string {
		if err := os.CopyFS(filepath.Join(base, name), os.DirFS(local)); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(base, name)
	}
	before := filesBelow(t, local)
	whole := copied("whole")
	start := time.Now()
	do(t, base, "resource-merge", append(merge, "whole")...)
	takes := time.Since(start)
	after := filesBelow(t, whole)
	if maps.Equal(before, after) {
		t.Fatal("the merge changes nothing")
	}
	for i := range 25 {
		name := fmt.Sprintf("run%d", i)
		dir := copied(name)
		cmd := exec.Command("resource-merge", append(merge, name)...)
		cmd.Dir = base
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int63n(int64(takes))))
		_ = cmd.Process.Kill() // it may be done already
		_ = cmd.Wait()
		do(t, base, "resource-merge", "recover", name)
		if got := filesBelow(t, dir); !maps.Equal(got, before) && !maps.Equal(got, after) {
			t.Errorf("%s is neither as before nor as after: %v", name, got)
		}
		do(t, base, "resource-merge", append(merge, name)...)
		if got := filesBelow(t, dir); !maps.Equal(got, after) {
			t.Errorf("%s is not as after once it is merged again: %v", name, got)
		}
	}
}

// filesBelow are the names and the contents of all files of a directory.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
