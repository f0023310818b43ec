package pkgmerge_test

import (
	"testing"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Each conflict has the line of its field in the merged file.
func TestPlace(t *testing.T) {
	deployment := func(image, port, label string) string {
		return "# Licence\n\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\n" + label + "---\n" +
			"# web\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n" +
			"      - {name: side, image: a}\n      # main\n      - name: web\n        image: " + image + "\n        ports:\n        - containerPort: 80\n          hostPort: " + port + "\n"
	}
	_, result := mergedFiles(t,
		tree{"a.yaml": deployment("a:1", "1", "  labels: {a: b}\n")},
		tree{"a.yaml": deployment("a:2", "2", "  labels: {a: c}\n")},
		tree{"a.yaml": deployment("a:3", "3", "")}, pkgmerge.Options{})
	want := map[string]int{
		"metadata.labels": 7,
		`spec.template.spec.containers[name="web"].image`:                                           21,
		`spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].hostPort`: 24,
	}
	for _, c := range result.Changes {
		for _, conflict := range c.Conflicts {
			file, line := result.Location(c, conflict.Path)
			if at := want[conflict.Path.String()]; file != "a.yaml" || line != at {
				t.Errorf("%s is in %s:%d, not line %d", conflict.Path, file, line, at)
			}
			delete(want, conflict.Path.String())
		}
	}
	if len(want) > 0 {
		t.Errorf("no conflict at %v", want)
	}
	if file, line := result.Location(result.Changes[0], (*merge.Path)(nil).Field("kind")); file != "a.yaml" || line != 4 {
		t.Errorf("kind is in %s:%d", file, line)
	}
}
