package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dirConfig is a function config of the typed kind whose function reads origin and
// upstream itself (rules/function: sides from directories).
func dirConfig(origin, upstream string) string {
	return fmt.Sprintf(`apiVersion: fn.kpt.dev/v1alpha1
kind: ResourceMerge
metadata:
  name: merge
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: resource-merge
sources:
  origin: {dir: %q}
  upstream: {dir: %q}
`, origin, upstream)
}

// TestEvalDir merges directories outside of the package, which stay; a second
// run changes nothing.
func TestEvalDir(t *testing.T) {
	all, want := packageOf(t, "fork"), expectedOf(t, "fork")
	origin, upstream := all.in("origin"), all.in("upstream")
	originDir, upstreamDir := origin.write(t), upstream.write(t)
	config := tree{"merge.yaml": dirConfig(originDir, upstreamDir)}.write(t)
	dir := all.without("origin", "upstream").write(t)
	for range 2 {
		succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge",
			"--fn-config", filepath.Join(config, "merge.yaml"))
		want.check(t, dir)
	}
	origin.check(t, originDir)
	upstream.check(t, upstreamDir)
}

// TestEvalDirRelative takes a directory relative to the one kpt was started in.
func TestEvalDirRelative(t *testing.T) {
	all := packageOf(t, "paths")
	dir := all.below("base", "next").and(all.without("base", "next").under("shop")).write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", "shop", "--exec", "resource-merge",
		"--", "origin-dir=base", "upstream-dir=next")
	expectedOf(t, "paths").check(t, filepath.Join(dir, "shop"))
}

// TestKustomizeBuildDir merges in a transformer. A build takes a name of a kind
// once per version, and origin and upstream have local's names: they come from
// directories. A relative one is relative to the kustomization, wherever
// kustomize was started.
func TestKustomizeBuildDir(t *testing.T) {
	files := packageOf(t, "kustomize-dir")
	outside := files.write(t)
	for name, config := range map[string]string{
		"absolute": dirConfig(filepath.Join(outside, "base"), filepath.Join(outside, "next")),
		"relative": dirConfig("base", "next"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := files.and(tree{"merge.yaml": config}).under("shop").write(t)
			out := succeed(t, dir, "", "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", "shop")
			if diff := cmp.Diff(expectedOf(t, "kustomize-dir")["build.yaml"], out.stdout); diff != "" {
				t.Errorf("kustomize build (-want +got):\n%s", diff)
			}
		})
	}
}
