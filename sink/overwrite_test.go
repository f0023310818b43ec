package sink_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// configMap is a file with a ConfigMap, written oddly.
func configMap(file, data string) pkgmerge.File {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	return pkgmerge.File{Name: file, Mode: 0o644, Data: []byte("# " + name + "\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: " + name + " }\ndata:\n    a:   '" + data + "'")}
}

// mergedFiles merges packages of files.
func mergedFiles(t *testing.T, options pkgmerge.Options, sides [3][]pkgmerge.File) *pkgmerge.Result {
	t.Helper()
	var packages [3]pkgmerge.Package
	for i, files := range sides {
		var err error
		if packages[i], err = pkgmerge.NewPackage(files); err != nil {
			t.Fatal(err)
		}
	}
	options.MergeComments = pkgmerge.CommentNever
	result, err := pkgmerge.Merge(context.Background(), packages, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// write puts files into a new directory.
func write(t *testing.T, files ...pkgmerge.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOverwriteWritesTheMergedFilesOnly(t *testing.T) {
	local := []pkgmerge.File{configMap("changed.yaml", "1"), configMap("kept.yaml", "mine"), configMap("sub/gone.yaml", "1")}
	dir := write(t, local...)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, f := range local {
		if err := os.Chtimes(filepath.Join(dir, f.Name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	origin := []pkgmerge.File{local[0], configMap("kept.yaml", "1"), local[2]}
	upstream := []pkgmerge.File{configMap("changed.yaml", "2"), origin[1], configMap("new/added.yaml", "1")}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{origin, upstream, local})
	if err := (sink.Overwrite{Dir: dir, Read: local}).Write(context.Background(), result); err != nil {
		t.Fatal(err)
	}
	for _, want := range []pkgmerge.File{upstream[0], local[1], upstream[2]} {
		if got, err := os.ReadFile(filepath.Join(dir, want.Name)); err != nil || string(got) != string(want.Data) {
			t.Errorf("%s: %v\n%s", want.Name, err, got)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "kept.yaml")); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("kept.yaml was touched: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sub")); !os.IsNotExist(err) {
		t.Errorf("sub is still there: %v", err)
	}
	if taken, err := sink.Recover(dir); taken || err != nil {
		t.Errorf("got %v, %v", taken, err)
	}
}

func TestOverwriteRefuses(t *testing.T) {
	sides := [3][]pkgmerge.File{{configMap("a.yaml", "1")}, {configMap("a.yaml", "2")}, {configMap("a.yaml", "3")}}
	read := sides[2]
	for _, c := range []struct {
		name   string
		result *pkgmerge.Result
		want   string
	}{
		{"a result that fails", mergedFiles(t, pkgmerge.Options{Policy: pkgmerge.Prefer(merge.PreferFail)}, sides), "ConfigMap a in a.yaml"},
		{"packages that were not made of files", merged(t, resource(t, "a.yaml", 0, "a", "1")), "not made of files"},
		{"a directory that is another by now", mergedFiles(t, pkgmerge.Options{}, sides), "a.yaml was changed since it was read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := configMap("a.yaml", "4")
			dir := write(t, now)
			err := (sink.Overwrite{Dir: dir, Read: read}).Write(context.Background(), c.result)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "a.yaml")); err != nil || string(got) != string(now.Data) {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}
