package main

import (
	"io"
	"strings"
	"testing"
)

// TestPatches: the patches between two revisions are made, applied and counted.
func TestPatches(t *testing.T) {
	newer := strings.NewReplacer("web:1.0", "web:1.1", "port: 80", "port: 81").Replace(web)
	repo := repositoryOf(t, tree{"web.yaml": web}, tree{"web.yaml": newer})
	var table, said strings.Builder
	args := []string{"--repo", repo, "--origin", "v1", "--upstream", "v2", "--patches", "--verbose"}
	if err := run(args, &table, &said); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "| . | 2 | 24 | 2 (26) | 2 (26) | 2 (23) | 2 (10) | 2 (21) |") {
		t.Errorf("the table is\n%s", table.String())
	}
	if !strings.Contains(said.String(), "# .: Deployment shop/web in web.yaml, form json\n- op: test\n  path: /spec/template/spec/containers/0/name\n") {
		t.Errorf("the patches are\n%s", said.String())
	}
	if err := run([]string{"--repo", repo, "--origin", "v1", "--upstream", "v3", "--patches"}, io.Discard, io.Discard); err == nil {
		t.Error("a revision that is not there is no error")
	}
}
