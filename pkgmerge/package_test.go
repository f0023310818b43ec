package pkgmerge

import (
	"context"
	"reflect"
	"testing"
)

// Resources of one name in different packages are distinguished by package, and a subpackage is added and deleted as
// a whole (rules/kptfiles: subpackages).
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

// TestNewVersion: a package is the same with and without reuse of another version's files.
func TestNewVersion(t *testing.T) {
	file := func(name, data string) File { return File{Name: name, Mode: 0o644, Data: []byte(data)} }
	const one = "kind: A\nmetadata:\n  name: a\n"
	other, err := NewPackage([]File{file("a.yaml", one+"---\nkind: B\n"), file("b.yaml", one), file("c.yaml", "a: {{ b }}\n")})
	if err != nil {
		t.Fatal(err)
	}
	files := []File{file("a.yaml", one+"---\nkind: B\n"), file("b.yaml", one+"spec: 1\n"), file("c.yaml", "a: {{ b }}\n"), file("d.yaml", one)}
	want, err := NewPackage(files)
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewVersion(files, other)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %v, want %v", err, got, want)
	}
	for i, r := range got.Resources {
		if i < len(other.Resources) && (r == other.Resources[i] || r.item == other.Resources[i].item) {
			t.Errorf("%s is not a resource of its own", r)
		}
	}
}
