package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// severalBefore and severalAfter are configs of three objects; the server refuses one of them.
const (
	severalBefore = `{apiVersion: v1, kind: ConfigMap, metadata: {name: first}, data: {a: "1"}}
---
{apiVersion: v1, kind: Secret, metadata: {name: second}, immutable: true, stringData: {a: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: third}, data: {a: "1"}}
`
	severalAfter = `{apiVersion: v1, kind: ConfigMap, metadata: {name: first}, data: {a: "2"}}
---
{apiVersion: v1, kind: Secret, metadata: {name: second}, immutable: true, stringData: {a: "2"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: third}, data: {a: "2"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: new}, data: {a: "2"}}
`
)

// TestNotAtomic: kubectl applies the objects beside a refused one, on either side, and the plan lists
// exactly the effect on each object (rules/apply: refused objects).
func TestNotAtomic(t *testing.T) {
	for name, by := range map[string][]string{
		"apply":       {"apply"},
		"server-side": {"apply", "--server-side", "--field-manager=ci"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := "atomic-" + name
			if err := cluster.Namespace(t.Context(), namespace); err != nil {
				t.Fatal(err)
			}
			kubectl := func(stdin string, args ...string) server.Answer {
				return cluster.Kubectl(t.Context(), stdin, append(args, "-n", namespace)...)
			}
			if says := kubectl(severalBefore, append(by, "-f", "-")...); says.Refused() {
				t.Fatal(says.Stderr)
			}
			live := kubectl("", "get", "configmap,secret", "-o", "yaml", "--show-managed-fields").Stdout
			planned := plannedActions(t, live, severalAfter, append(slices.Clone(by[1:]), "-n", namespace)...)
			says := kubectl(severalAfter, append(by, "-f", "-")...)
			if !says.Refused() {
				t.Error("kubectl applied everything")
			}
			want := map[string]string{"ConfigMap first": "update", "Secret second": "refuse", "ConfigMap third": "update", "ConfigMap new": "create"}
			if diff := cmp.Diff(want, planned); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
			held := kubectl("", "get", "configmap", "first", "third", "new", "-o", "jsonpath={.items[*].data.a}").Stdout
			if held != "2 2 2" {
				t.Errorf("beside the refused object kubectl left %q\n%s", held, says.Stderr)
			}
		})
	}
}

// plannedActions returns the actions that resource-merge plan lists in its text, by kind and name.
func plannedActions(t *testing.T, live, config string, args ...string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "live.yaml")
	if err := os.WriteFile(file, []byte(live), 0o644); err != nil {
		t.Fatal(err)
	}
	says := server.Run(exec.CommandContext(t.Context(), function, append([]string{"apply", "--live", file, "-"}, args...)...), config)
	if !strings.Contains(says.Stdout, "an apply is not atomic") {
		t.Errorf("the plan does not tell that an apply is not atomic:\n%s%s", says.Stdout, says.Stderr)
	}
	out := map[string]string{}
	for line := range strings.Lines(says.Stdout) {
		if words := strings.Fields(line); len(words) == 4 && strings.HasPrefix(words[3], "stdin.yaml") {
			_, object, _ := strings.Cut(words[2], "/")
			out[words[1]+" "+object] = words[0]
		}
	}
	return out
}
