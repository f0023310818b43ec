package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// files writes files into a new directory.
func files(t *testing.T, texts map[string]string) source.Dir {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return source.Dir(dir)
}

func read(t *testing.T, s source.Source) pkgmerge.Package {
	t.Helper()
	p, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The resources are read exactly as the files have them.
func TestDirReadsWhatTheFilesSay(t *testing.T) {
	const none = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	const own = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n    name: b\n\n    annotations:\n        example.com/a: b\n"
	const bare = "# A file without metadata.\nresources:\n- a.yaml\n"
	p := read(t, files(t, map[string]string{"a.yaml": none + "---\n" + own, "deep/kustomization.yaml": bare, "README": "x"}))
	want := []struct {
		file  string
		index int
		text  string
	}{
		{"a.yaml", 0, none},
		{"a.yaml", 1, own},
		{"deep/kustomization.yaml", 0, bare},
	}
	if len(p.Resources) != len(want) || len(p.Files) != 3 {
		t.Fatalf("%d resources in %d files, want %d in 3", len(p.Resources), len(p.Files), len(want))
	}
	for i, r := range p.Resources {
		text, err := r.YAML()
		if err != nil || r.File != want[i].file || r.Index != want[i].index || string(text) != want[i].text {
			t.Errorf("%s index %d, %v:\n%s\nwant %s index %d:\n%s", r.File, r.Index, err, text, want[i].file, want[i].index, want[i].text)
		}
	}
}

// Files that git or .krmignore have for themselves are not read, links and modes are.
func TestDirReadsThePackagesFiles(t *testing.T) {
	const kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\n"
	dir := files(t, map[string]string{
		".krmignore": "out/\n*.tmp\n!keep.tmp\n/top\n", "a.tmp": "", "keep.tmp": "", "top": "", "deep/top": "", "out/a": "", "deep/out/a": "",
		".git/config": "", "deep/.git": "gitdir: ../x", ".resource-merge-journal/a": "", "Kptfile": kptfile,
		"sub/Kptfile": kptfile, "sub/.krmignore": "*.log\n", "sub/a.tmp": "", "sub/a.log": "", "sub/deep/a.log": "",
		"run.sh": "#!/bin/sh\n",
	})
	link := filepath.Join(string(dir), "link")
	if err := errors.Join(os.Chmod(filepath.Join(string(dir), "run.sh"), 0o750), os.Symlink("../../etc/passwd", link), os.Symlink("deep", link+"ed")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range read(t, dir).Files {
		got = append(got, fmt.Sprint(f.Name, " ", f.Mode))
	}
	want := []string{
		".krmignore -rw-r--r--", "Kptfile -rw-r--r--", "deep/top -rw-r--r--", "keep.tmp -rw-r--r--", "link L---------", "linked L---------", "run.sh -rwxr-xr-x",
		"sub/.krmignore -rw-r--r--", "sub/Kptfile -rw-r--r--", "sub/a.tmp -rw-r--r--",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	fromFS, err := source.FS{FS: os.DirFS(string(dir))}.Read(context.Background())
	if err != nil || len(fromFS.Files) != len(want) || string(fromFS.Files[4].Data) != "../../etc/passwd" {
		t.Errorf("%v, %q", err, fromFS.Files)
	}
}

func TestDirErrors(t *testing.T) {
	if _, err := source.Dir(filepath.Join(t.TempDir(), "none")).Read(context.Background()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v", err, os.ErrNotExist)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := files(t, nil).Read(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	here := files(t, nil)
	_, err := source.Three(context.Background(), here, here, source.Dir("none"))
	if err == nil || !strings.HasPrefix(err.Error(), "local: ") {
		t.Errorf("got %v, want an error about local", err)
	}
}
