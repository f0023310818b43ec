package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
)

func secretOf(side, rest string) string {
	return "- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: db\n    annotations:\n      config.kubernetes.io/merge-source: " + side + "\n" + rest
}

func dirList(dir string) []byte {
	return listOf("functionConfig: {apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge, sources: {origin: {none: true}, upstream: {dir: "+dir+"}}}\n", "- {kind: B, metadata: {name: b}}\n")
}

// What is outside of a dir is not read through a symbolic link in it.
func TestDirSymlink(t *testing.T) {
	d, other := t.TempDir(), t.TempDir()
	writeFile(t, other+"/x.yaml", "kind: A\nmetadata: {name: outside}\n")
	if err := os.Symlink(other+"/x.yaml", filepath.Join(d, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	out, err := command.Function(dirList(d))
	if err == nil || strings.Contains(string(out), "outside") {
		t.Errorf("%v\n%s", err, out)
	}
}

// kyaml's errors have the file's contents, and yaml's a password that begins with
// a star: ours have neither.
func TestErrorContents(t *testing.T) {
	d := t.TempDir()
	writeFile(t, d+"/s.yaml", "kind: Secret\nmetadata: hush\ndata: {a: hush}\n")
	lists := [][]byte{dirList(d), listOf("", append(change(), secretOf("local", "  stringData:\n    password: *hush\n"))...)}
	for _, in := range lists {
		if _, err := command.Function(in); err == nil || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
	}
}

// No value is shown from a list of Secrets, or from the texts that Secrets are generated from.
func TestSecretElsewhere(t *testing.T) {
	for _, kind := range []string{"List", "SecretList", "Kustomization"} {
		of := func(side string) string {
			text := secretOf(side, "  items:\n  - kind: Secret\n    data: {a: hush"+side+"}\n")
			if kind == "Kustomization" {
				text = secretOf(side, "  secretGenerator:\n  - name: a\n    literals: [a=hush"+side+"]\n")
			}
			return strings.Replace(text, "kind: Secret", "kind: "+kind, 1)
		}
		out, _ := command.Function(listOf("", of("local"), of("origin"), of("upstream")))
		if _, results, _ := strings.Cut(string(out), "\nresults:\n"); strings.Contains(results, "hush") {
			t.Errorf("%s\n%s", kind, results)
		}
	}
}

// A path longer than any that can be opened is an error: each of its steps would
// be looked at for each item.
func TestDeepPath(t *testing.T) {
	item := "- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n    annotations:\n      internal.config.kubernetes.io/path: " + strings.Repeat("a/", 40_000) + "a.yaml\n"
	if _, err := command.Function(listOf("", append(change(), item)...)); err == nil || !strings.Contains(err.Error(), "80006 bytes") {
		t.Error(err)
	}
}

// Many small bombs, each within its budget, take no more than their size allows.
func TestManySmallBombs(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c]\n"
	var items []string
	for i := range 300 {
		for n, side := range []string{"local", "origin", "upstream"} {
			items = append(items, resource(side, fmt.Sprint("n", i), []string{"1", "1", "2"}[n], bomb))
		}
	}
	in := listOf("", items...)
	m := metered(context.Background(), t, in)
	t.Logf("%d KB in, %d MB, %v", len(in)>>10, m.Memory>>20, m.Time)
	if m.Memory > 40<<20+400*int64(len(in)) {
		t.Errorf("%d MB for %d KB", m.Memory>>20, len(in)>>10)
	}
}

// A byte order mark before the list changes no layout.
func TestByteOrderMark(t *testing.T) {
	odd := "- apiVersion: v1\n  kind:   ConfigMap\n  metadata:\n      name:   x\n"
	out, err := command.Function(append([]byte("\ufeff"), listOf("", append(change(), odd)...)...))
	if err != nil || !strings.Contains(string(out), odd) {
		t.Errorf("%v\n%s", err, out)
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
