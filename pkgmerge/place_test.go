package pkgmerge

import (
	"context"
	"testing"

	"github.com/resource-merge/resource-merge/identity"
)

// A resource that upstream moved to another file moves, unless local moved it
// (rules/placement: moved resources).
func TestPlaces(t *testing.T) {
	tests := []struct {
		name  string
		files [3]string
		want  string
	}{
		{"none moved it", [3]string{"a.yaml", "a.yaml", "a.yaml"}, "a.yaml"},
		{"upstream moved it", [3]string{"a.yaml", "b.yaml", "a.yaml"}, "b.yaml"},
		{"local moved it", [3]string{"a.yaml", "a.yaml", "c.yaml"}, "c.yaml"},
		{"both moved it", [3]string{"a.yaml", "b.yaml", "c.yaml"}, "c.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var packages [3]Package
			for _, side := range identity.Sides() {
				packages[side].Resources = []*Resource{resource(t, tt.files[side], "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")}
			}
			result, err := Merge(context.Background(), packages, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c := result.Changes[0]; c.Result.File != tt.want || c.Moved != (tt.want == "b.yaml") {
				t.Errorf("got %s, moved %t; want %s", c.Result.File, c.Moved, tt.want)
			}
		})
	}
}
