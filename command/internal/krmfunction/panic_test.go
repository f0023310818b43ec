package krmfunction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// A panic that nobody thought of, at any stage and on any goroutine, comes out
// as an error, with the items untouched.
func TestRunPanics(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range 1100 {
		for _, side := range []string{"origin", "upstream", "local"} {
			fmt.Fprintf(&b, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a%d, annotations: {config.kubernetes.io/merge-source: %s}}}\n", i, side)
		}
	}
	in := []byte(b.String())
	for _, stage := range []string{"reading", "matching", "merging", "writing"} {
		t.Run(stage, func(t *testing.T) {
			out, err := Run(in, func(now string, _, _ int) {
				if now == stage {
					panic("nobody thought of it")
				}
			})
			if err == nil || !strings.Contains(err.Error(), "a bug in resource-merge, please report it: nobody thought of it at krmfunction/panic_test.go:") {
				t.Errorf("got %v", err)
			}
			list, readErr := resourcelist.Read(out)
			if readErr != nil || len(list.Items) != 3300 {
				t.Fatalf("%d items come out, %v", len(list.Items), readErr)
			}
			if !strings.Contains(string(out), "severity: error") || !strings.HasPrefix(string(out), string(in)) {
				t.Errorf("the items or the result are not there")
			}
		})
	}
}
