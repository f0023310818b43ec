package pkgmerge_test

import (
	"context"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestMergeTheResultAgain: the resources of a result are a package like any other, and can be merged again.
func TestMergeTheResultAgain(t *testing.T) {
	var packages [3]pkgmerge.Package
	for side := range packages {
		var doc yaml.Node
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"" + string(rune('1'+side)) + "\", b: x}\n"
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		packages[side].Resources = []*pkgmerge.Resource{pkgmerge.NewResource("a.yaml", 0, &doc)}
	}
	for range 3 {
		result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		packages[2] = result.Package()
		for _, r := range packages[2].Resources {
			if _, err := r.Tree(); err != nil {
				t.Fatal(err)
			}
			if _, err := r.YAML(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
