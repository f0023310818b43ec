package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const web = `# A web server.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: example.com/web:1.0
        args:
        - --listen=:8080
      - name: log
        image: example.com/log:1.0
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  ports:
  - port: 80
`

const forkOfWeb = `
- {kind: Deployment, set: spec.replicas, to: 3}
- {kind: Deployment, append: 'spec.template.spec.containers[0].env', to: {name: A, value: b}}
- {kind: Deployment, append: 'spec.template.spec.containers[0].args', to: --debug}
- {kind: Deployment, remove: 'spec.template.spec.containers[name=log]'}
- {kind: Service, set: 'metadata.labels["a.b/c"]', to: d}
- {kind: Service, comment: spec, text: Ours.}
- {file: mine.yaml, text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n"}
`

// repositoryOf makes a repository whose tags v1 and v2 are the versions.
func repositoryOf(t *testing.T, versions ...tree) string {
	t.Helper()
	dir := t.TempDir()
	for i, files := range versions {
		if _, err := tag(dir, []string{"v1", "v2"}[i], files); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRun upgrades a fork of a package of two resources: upstream changes what
// local has, what local has not, and what local changed too.
func TestRun(t *testing.T) {
	next := strings.NewReplacer("web:1.0", "web:2.0", "=:8080", "=:9090", "log:1.0", "log:2.0", "port: 80", "port: 80\n    name: http").Replace(web)
	repo := repositoryOf(t, tree{"package/web.yaml": web}, tree{"package/web.yaml": next, "package/new.yaml": "kind: A\nmetadata:\n  name: a\n"})
	edits := t.TempDir()
	if err := os.WriteFile(filepath.Join(edits, "fork.yaml"), []byte(forkOfWeb), 0o600); err != nil {
		t.Fatal(err)
	}
	var table, log bytes.Buffer
	if err := run([]string{"--repo", repo, "--origin", "v1", "--upstream", "v2", "--dir", "package", "--edits", edits, "--verbose"}, &table, &log); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(table.String(), "\n")
	if want := "| package | v1, v2 | . | 3 | 5 / 6 | 2 | 2 / 0 | 0 / 0 | 0 / 0 | 0 | "; !strings.HasPrefix(rows[2], want) {
		t.Errorf("got %s\nwant %s\n%s", rows[2], want, log.String())
	}
}

// TestRunTable measures a package of a table.
func TestRunTable(t *testing.T) {
	mirror, list := t.TempDir(), filepath.Join(t.TempDir(), "packages.tsv")
	repo := repositoryOf(t, tree{"web.yaml": web}, tree{"web.yaml": web})
	if err := os.Mkdir(filepath.Join(mirror, "example"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(repo, filepath.Join(mirror, "example", "shop")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, []byte("# name\nshop\texample/shop\tv1\tv2\t.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var table, log bytes.Buffer
	if err := run([]string{"--packages", list, "--mirror", mirror}, &table, &log); err != nil {
		t.Fatal(err)
	}
	text := table.String()
	document := filepath.Join(t.TempDir(), "document.md")
	if err := os.WriteFile(document, []byte("a\n"+beginTable+"old\n"+endTable+"b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"--packages", list, "--mirror", mirror, "--only", "shop", "--into", document}, &table, &log); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(document)
	if want := "a\n" + beginTable + "\n" + text + "\n" + endTable + "b\n"; err != nil || string(got) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	if n := strings.Count(text, "\n"); n != 5 || !strings.Contains(text, "| shop | v1, v2 | tuned |") {
		t.Errorf("got\n%s", text)
	}
}

// TestRunLaw merges the same by each way out, with forks that move a package and tune it: none
// loses a change.
func TestRunLaw(t *testing.T) {
	next := strings.NewReplacer("web:1.0", "web:2.0", "port: 80", "port: 81").Replace(web)
	repo := repositoryOf(t, tree{"web.yaml": web, "again/web.yaml": web}, tree{"web.yaml": next, "again/web.yaml": web})
	var table, log bytes.Buffer
	if err := run([]string{"--repo", repo, "--origin", "v1", "--upstream", "v2", "--law", "--verbose"}, &table, &log); err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
	if n := strings.Count(table.String(), " | 0 | 0 | 0 | 0 | 0 |\n"); n != 2 {
		t.Errorf("got\n%s", table.String())
	}
}

func TestRunUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"--repo", "a", "--packages", "b"}, {"--packages", "packages.tsv"}, {"--repo", t.TempDir(), "--origin", "a", "--upstream", "b"}} {
		var out bytes.Buffer
		if err := run(args, &out, &out); err == nil {
			t.Errorf("%q: want an error", args)
		}
	}
}
