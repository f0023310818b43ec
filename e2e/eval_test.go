package e2e

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEval merges a package in place, in the conventional layout: origin/ and upstream/
// are gone afterwards (rules/function: sides; rules/function: output).
func TestEval(t *testing.T) {
	dir := packageOf(t, "fork").write(t)
	out := succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge")
	expectedOf(t, "fork").check(t, dir)
	out.shows(t, "[info]: merged 13 resources: 6 changed, 2 added, 2 deleted, 3 unchanged; 1 conflict: upstream's value taken")
	out.shows(t, "[warning] apps/v1/Deployment/team/team-podinfo spec.replicas: ")
}

// TestEvalPaths merges sides in configured directories; origin/ is then a
// directory like any other.
func TestEvalPaths(t *testing.T) {
	dir := packageOf(t, "paths").write(t)
	out := succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge",
		"--", "origin-path=base", "upstream-path=next")
	expectedOf(t, "paths").check(t, dir)
	out.shows(t, "[info]: merged ")
}

// TestEvalFunctionConfig takes the same from a function config of the typed
// kind.
func TestEvalFunctionConfig(t *testing.T) {
	dir := packageOf(t, "paths").write(t)
	config := tree{"merge.yaml": `apiVersion: fn.kpt.dev/v1alpha1
kind: ResourceMerge
metadata:
  name: update
sources:
  origin: {path: base}
  upstream: {path: next}
`}.write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge", "--fn-config", config+"/merge.yaml")
	expectedOf(t, "paths").check(t, dir)
}

// TestEvalKeep keeps the sides, and a second run changes nothing.
func TestEvalKeep(t *testing.T) {
	before := packageOf(t, "paths")
	want := expectedOf(t, "paths").and(before.below("base", "next"))
	dir := before.write(t)
	for range 2 {
		succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge",
			"--", "origin-path=base", "upstream-path=next", "keep-sources=true")
		want.check(t, dir)
	}
}

// TestEvalHeader keeps what kpt does not send: the licence above the empty line
// at the top of a file, of a resource that is added and of one in whose lists
// elements with comments move.
func TestEvalHeader(t *testing.T) {
	dir := packageOf(t, "header").write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge")
	expectedOf(t, "header").check(t, dir)
}

// TestEvalHeaderKeep runs the same with the sides kept, twice: kpt takes the
// empty line below a licence out, and what was not on the wire in the first run
// is in the second.
func TestEvalHeaderKeep(t *testing.T) {
	dir := packageOf(t, "header").write(t)
	eval := []string{"fn", "eval", ".", "--exec", "resource-merge", "--", "keep-sources=true"}
	succeed(t, dir, "", "kpt", eval...)
	first := readTree(t, dir)
	succeed(t, dir, "", "kpt", eval...)
	first.check(t, dir)
}

// TestEvalIDs gives merged resources the ids that do no harm (rules/function: ids of
// kpt): no comment comes out twice, and no key of local's moves. With local's keys in
// upstream's order the header comes back; in another order no id may.
func TestEvalIDs(t *testing.T) {
	dir := packageOf(t, "ids").write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge")
	expectedOf(t, "ids").check(t, dir)
}

// TestEvalSends compares the lists of the benchmarks with the lists that kpt sends for the same files.
func TestEvalSends(t *testing.T) {
	if err := build("..", "contender", "./tests/bench/contender"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	succeed(t, dir, "", "contender", "package", ".", "3")
	files, received := readTree(t, dir), filepath.Join(t.TempDir(), "list.yaml")
	pkg := files.in("local").and(files.below("origin", "upstream")).write(t)
	succeed(t, pkg, "", "kpt", "fn", "eval", ".", "--exec", "tee "+received)
	want := succeed(t, dir, "", "contender", "list", "few", "3").stdout
	if diff := cmp.Diff(want, readTree(t, filepath.Dir(received))["list.yaml"]); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
}
