package pkgmerge

import (
	"context"
	"testing"
)

// Resources of one name in packages of their own are told apart by these, and a
// subpackage comes and goes as one (design 7).
func TestPackages(t *testing.T) {
	kptfile := func(dir string) *Resource {
		return resource(t, dir+"Kptfile", "{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: p}}")
	}
	item := func(file string) *Resource {
		return resource(t, file, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
	}
	top := func(more ...*Resource) Package {
		return Package{Resources: append([]*Resource{kptfile(""), item("a.yaml")}, more...)}
	}
	sub := func() []*Resource { return []*Resource{kptfile("sub/"), item("sub/a.yaml")} }
	tests := []struct {
		name     string
		packages [3]Package
		want     map[Action]int
	}{
		{"in all", [3]Package{top(sub()...), top(sub()...), top(sub()...)}, map[Action]int{Unchanged: 4}},
		{"added upstream", [3]Package{top(), top(sub()...), top()}, map[Action]int{Unchanged: 2, Added: 2}},
		{"deleted upstream", [3]Package{top(sub()...), top(), top(sub()...)}, map[Action]int{Unchanged: 2, Deleted: 2}},
		{"local's own", [3]Package{top(), top(), top(sub()...)}, map[Action]int{Unchanged: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := Merge(context.Background(), tt.packages, Options{MergeComments: CommentNever})
			if err != nil {
				t.Fatal(err)
			}
			got := map[Action]int{}
			for _, c := range result.Changes {
				got[c.Action]++
			}
			for action := Absent; action <= Deleted; action++ {
				if got[action] != tt.want[action] {
					t.Errorf("action %d: %d, want %d", action, got[action], tt.want[action])
				}
			}
		})
	}
}
