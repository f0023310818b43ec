package function

import (
	"os"
	"testing"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// Whatever comes in, a list comes out that can be read, and an error has a
// result that says so.
func FuzzRun(f *testing.F) {
	quickstart, err := os.ReadFile("../../testdata/quickstart/input.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(quickstart)
	head := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for _, seed := range []string{
		"", "{", head, head + "items: {}\n",
		head + "items:\n- {kind: A, metadata: {name: a, annotations: {config.kubernetes.io/merge-source: origin}}}\n- {kind: A, metadata: {name: a, annotations: {config.kubernetes.io/merge-source: upstream}}, b: [c]}\n- {kind: A, metadata: {name: a}, b: null}\n",
		head + "functionConfig: {kind: ConfigMap, data: {origin-none: 'true', conflicts: local}}\nitems:\n- kind: A\n  metadata: # kpt-merge: a/b\n    name: &x a\n    annotations: {config.kubernetes.io/merge-source: upstream}\n- {kind: A, metadata: {name: a}, b: *x}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := Run(in)
		if _, readErr := resourcelist.Read(out); readErr != nil {
			t.Errorf("error %v; what came out cannot be read: %v\n%s", err, readErr, out)
		}
	})
}
