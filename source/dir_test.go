package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

// What is read has no annotation that its file does not have, and no empty map in
// which one of them was.
func TestDirReadsWhatTheFilesSay(t *testing.T) {
	const none = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	const own = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n    name: b\n    annotations:\n        example.com/a: b\n    finalizers:\n        - c\n"
	const bare = "# A file without metadata.\nresources:\n- a.yaml\n"
	p := read(t, files(t, map[string]string{"a.yaml": none + "---\n" + own, "deep/kustomization.yaml": bare}))
	want := []struct {
		file  string
		index int
		text  string
	}{
		{"a.yaml", 0, none},
		{"a.yaml", 1, strings.ReplaceAll(own, "    ", "  ")},
		{"deep/kustomization.yaml", 0, bare},
	}
	if len(p.Resources) != len(want) {
		t.Fatalf("%d resources, want %d", len(p.Resources), len(want))
	}
	for i, r := range p.Resources {
		text, err := r.YAML()
		if err != nil || r.File != want[i].file || r.Index != want[i].index || string(text) != want[i].text {
			t.Errorf("%s index %d, %v:\n%s\nwant %s index %d:\n%s", r.File, r.Index, err, text, want[i].file, want[i].index, want[i].text)
		}
	}
}

// A file that is no YAML is left out and told of, unless another side has a
// resource there.
func TestDirSkipsWhatIsNoYAML(t *testing.T) {
	const template = "{{- if .Values.on }}\nkind: Service\nspec: [\n"
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	chart := files(t, map[string]string{"a.yaml": config, "chart/a.yaml": template})
	p := read(t, chart)
	if len(p.Resources) != 1 || len(p.Skipped) != 1 || p.Skipped[0].File != "chart/a.yaml" {
		t.Errorf("%d resources, skipped %v", len(p.Resources), p.Skipped)
	}
	result, err := pkgmerge.Merge(context.Background(), [3]pkgmerge.Package{p, p, p}, pkgmerge.Options{})
	if err != nil || len(result.Notices) != 3 {
		t.Fatalf("%v, %d notices", err, len(result.Notices))
	}
	other := read(t, files(t, map[string]string{"chart/a.yaml": config}))
	_, err = pkgmerge.Merge(context.Background(), [3]pkgmerge.Package{p, p, other}, pkgmerge.Options{})
	if skipped := (*pkgmerge.SkippedFileError)(nil); !errors.As(err, &skipped) || skipped.File != "chart/a.yaml" {
		t.Errorf("got %v, want an error about chart/a.yaml", err)
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
