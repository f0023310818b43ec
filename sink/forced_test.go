package sink_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

func TestForcedDirReplacesAndKeeps(t *testing.T) {
	files := []pkgmerge.File{configMap("a.yaml", "1"), configMap("sub/b.yaml", "1")}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{files, files, files})
	mine := pkgmerge.File{Name: "sub/mine.txt", Mode: 0o644, Data: []byte("mine\n")}
	for _, dir := range []string{write(t, configMap("a.yaml", "0"), mine), filepath.Join(t.TempDir(), "new")} {
		if err := sink.ForcedDir(dir).Write(context.Background(), result); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if got, err := os.ReadFile(filepath.Join(dir, f.Name)); err != nil || string(got) != string(f.Data) {
				t.Errorf("%s: %v\n%s", f.Name, err, got)
			}
		}
	}
	dir := write(t, configMap("a.yaml", "0"), mine)
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := sink.ForcedDir(dir).Write(context.Background(), result); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, mine.Name)); err != nil || string(got) != "mine\n" {
		t.Errorf("%s: %v %q", mine.Name, err, got)
	}
}

func TestForcedDirRefusesALink(t *testing.T) {
	files := []pkgmerge.File{configMap("sub/b.yaml", "1")}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{files, files, files})
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
		t.Fatal(err)
	}
	err := sink.ForcedDir(dir).Write(context.Background(), result)
	if err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("got %v", err)
	}
	if there, _ := os.ReadDir(outside); len(there) > 0 {
		t.Error("it wrote outside")
	}
}

// A file that cannot be written leaves no others.
func TestDirIsWrittenWholeOrNotAtAll(t *testing.T) {
	files := []pkgmerge.File{configMap("a.yaml", "1"), {Name: "b", Mode: 0o644, Data: []byte("b")}, {Name: "sub/" + strings.Repeat("x", 300), Mode: 0o644}}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{files, files, files})
	dir := t.TempDir()
	if err := sink.Dir(dir).Write(context.Background(), result); err == nil {
		t.Fatal("want an error")
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		t.Errorf("left: %v, %v", there, err)
	}
}

func TestDirRefusesWhatIsGits(t *testing.T) {
	files := []pkgmerge.File{{Name: ".git/hooks/pre-commit", Mode: 0o755, Data: []byte("echo\n")}}
	result := mergedFiles(t, pkgmerge.Options{}, [3][]pkgmerge.File{files, files, files})
	for _, s := range []sink.Sink{sink.Dir(t.TempDir()), sink.ForcedDir(t.TempDir())} {
		if err := s.Write(context.Background(), result); err == nil || !strings.Contains(err.Error(), "git's own") {
			t.Errorf("%T: got %v", s, err)
		}
	}
}
