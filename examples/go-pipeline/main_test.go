package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
)

// copied returns a copy of a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(dir))
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// texts are the texts of the files in a directory, by name.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

func TestUpgrade(t *testing.T) {
	shop := copied(t, "shop")
	results, err := upgrade(shop, "versions/v1", "versions/v2")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(texts(t, "expected/shop"), texts(t, shop)); diff != "" {
		t.Errorf("expected (-want +got):\n%s", diff)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !strings.Contains(string(readme), r.String()+"\n") {
			t.Errorf("README.md does not show %s", r)
		}
	}
}

// After an error no file is changed, wherever in the pipeline it is.
func TestNothingIsWrittenAfterAnError(t *testing.T) {
	for name, test := range map[string]struct{ from, to, want string }{
		"a conflict that no rule decides": {"image: registry.example.com/web:1.4.0", "image: registry.example.com/web:1.4.7", "1 of them fails the run"},
		"a container without a limit":     {"          resources:\n            limits: {memory: 128Mi}\n", "", "container web of Deployment web has no limit of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			shop := copied(t, "shop")
			before := texts(t, shop)
			before["web.yaml"] = strings.Replace(before["web.yaml"], test.from, test.to, 1)
			if err := os.WriteFile(filepath.Join(shop, "web.yaml"), []byte(before["web.yaml"]), 0o600); err != nil {
				t.Fatal(err)
			}
			newVersion := "versions/v2"
			if test.to == "" { // upstream changes nothing
				newVersion = "versions/v1"
			}
			results, err := upgrade(shop, "versions/v1", newVersion)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if failures := (framework.Results)(nil); errors.As(err, &failures) && len(results) < len(failures) {
				t.Errorf("only %d results for %v", len(results), failures)
			}
			if diff := cmp.Diff(before, texts(t, shop)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
