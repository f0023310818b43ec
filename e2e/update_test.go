package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestUpdate compares kpt's own update with the function over the same three
// versions, value by value. A difference that is not listed fails, and so does a
// listed one that does not occur. Each is of a class.
func TestUpdate(t *testing.T) {
	tally := map[string]int{}
	packages := map[string]struct {
		files tree
		want  []intended
	}{
		"quickstart":  {readTree(t, filepath.Join("..", "testdata", "quickstart", "package")), inQuickstart},
		"fork":        {packageOf(t, "fork"), inFork},
		"elements":    {packageOf(t, "update-elements"), inElements},
		"subpackages": {packageOf(t, "update-subpackages"), inSubpackages},
		"operator":    {packageOf(t, "update-operator"), inOperator},
		"ingress":     {packageOf(t, "update-ingress"), inIngress},
		"helm":        {packageOf(t, "update-helm"), inHelm},
	}
	ran := 0
	for name, test := range packages {
		t.Run(name, func(t *testing.T) {
			ran++
			sides := versionsOf(t, test.files)
			kpt, ours := sides.updateWithKpt(t), sides.updateWithFunction(t)
			checkDifferences(t, differences(t, kpt, ours), slices.Concat(always, test.want), tally)
		})
	}
	if ran == len(packages) {
		report(t, tally)
	}
}

// report logs how often each class occurred; one that did not, or that there is
// not, is an error.
func report(t *testing.T, tally map[string]int) {
	t.Helper()
	for _, c := range classes() {
		t.Logf("%3d %s: %s", tally[c.name], c.name, c.reason)
		if tally[c.name] == 0 {
			t.Errorf("no difference is of class %q", c.name)
		}
		delete(tally, c.name)
	}
	for name := range tally {
		t.Errorf("there is no class %q", name)
	}
}

// versions is the three versions of a package. The local one has its upstream
// in the Kptfile: the tag v1 of a repository whose tags are origin and upstream.
type versions struct {
	origin, upstream, local tree
}

func versionsOf(t *testing.T, files tree) versions {
	t.Helper()
	sides := versions{
		origin:   files.in("origin"),
		upstream: files.in("upstream"),
		local:    files.without("origin", "upstream"),
	}
	repo := repository(t, sides.origin, sides.upstream)
	sides.local["Kptfile"] = withUpstream(t, sides.local["Kptfile"], repo)
	return sides
}

// withUpstream is a Kptfile as it is after kpt got v1 from a repository.
func withUpstream(t *testing.T, kptfile, repo string) string {
	t.Helper()
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(kptfile), &fields); err != nil {
		t.Fatal(err)
	}
	upstream := map[string]string{"repo": repo, "directory": "/", "ref": "v1"}
	lock := map[string]string{"repo": repo, "directory": "/", "ref": "v1", "commit": git(t, repo, "rev-parse", "v1")}
	fields["upstream"] = map[string]any{"type": "git", "git": upstream, "updateStrategy": "resource-merge"}
	fields["upstreamLock"] = map[string]any{"type": "git", "git": lock}
	text, err := yaml.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// updateWithKpt is the package after kpt updated it.
func (sides versions) updateWithKpt(t *testing.T) tree {
	t.Helper()
	dir := sides.local.write(t)
	commitAll(t, dir)
	succeed(t, dir, "", "kpt", "pkg", "update", ".@v2", "--strategy=resource-merge")
	return readTree(t, dir).without(".git")
}

// updateWithFunction is the package after the function merged it.
func (sides versions) updateWithFunction(t *testing.T) tree {
	t.Helper()
	dir := sides.local.and(sides.origin.under("origin")).and(sides.upstream.under("upstream")).write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge")
	return readTree(t, dir).without("origin", "upstream")
}
