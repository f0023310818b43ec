package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKustomizeBuild runs the function as a transformer over resources that are
// annotated with their side (rules/function: sides). Kustomize strips comments, takes
// one name of a kind once per version only, and has each result in the place of the
// resource that had its version and name.
func TestKustomizeBuild(t *testing.T) {
	buildCase(t, "kustomize-build")
}

// TestKustomizeBuildRenamed finds a renamed resource by the upstream identifier that
// kpt wrote (rules/identity: by upstream-identifier).
func TestKustomizeBuildRenamed(t *testing.T) {
	buildCase(t, "kustomize-renamed")
}

func buildCase(t *testing.T, name string) {
	t.Helper()
	dir := packageOf(t, name).write(t)
	out := succeed(t, dir, "", "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", ".")
	if diff := cmp.Diff(expectedOf(t, name)["build.yaml"], out.stdout); diff != "" {
		t.Errorf("kustomize build (-want +got):\n%s", diff)
	}
}

// TestKustomizeRun runs the function that a file of the package configures. The
// configuration is an item too, and stays.
func TestKustomizeRun(t *testing.T) {
	dir := packageOf(t, "kustomize-run").write(t)
	succeed(t, dir, "", "kustomize", "fn", "run", ".", "--enable-exec")
	expectedOf(t, "kustomize-run").check(t, dir)
}
