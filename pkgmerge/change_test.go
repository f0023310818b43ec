package pkgmerge

import (
	"context"
	"strconv"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// unwritable is a strategy with an outcome that no text can express.
type unwritable struct{ ResourceMerge }

func (unwritable) Merge(*Match) (merge.Outcome, error) {
	var doc yaml.Node
	err := yaml.Unmarshal([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: b}"), &doc)
	doc.Content[0].Content[7].Value = "\xff"
	return merge.Outcome{Verdict: merge.MergeParts, Node: doc.Content[0]}, err
}

// TestUnwritableResultNamesTheResource: a result that no text can express is an error with the name of the resource.
func TestUnwritableResultNamesTheResource(t *testing.T) {
	var packages [3]Package
	for _, side := range identity.Sides() {
		packages[side].Resources = []*Resource{resource(t, "a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")}
	}
	_, err := Merge(context.Background(), packages, Options{Strategy: unwritable{}})
	if want := "ConfigMap a in a.yaml: no YAML text found that reads back as the merged value"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func resource(t *testing.T, file, text string) *Resource {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return NewResource(file, 0, &doc)
}

// TestManyConflictsThatCannotBeMarked: Marks is fast for a resource with many conflicts that cannot be marked.
func TestManyConflictsThatCannotBeMarked(t *testing.T) {
	c := &Change{Match: &Match{policy: func() merge.Policy { return merge.Prefer(merge.MarkLocal) }}}
	var paths []*merge.Path
	for i := range 200 {
		paths = append(paths, (*merge.Path)(nil).Field(strconv.Itoa(i)))
	}
	for _, path := range paths[1:] {
		c.Unmark(merge.Conflict{Path: path})
	}
	for i, path := range paths {
		if got := c.Marks(merge.Conflict{Path: path}); got != (i == 0) {
			t.Errorf("%s: marks is %t", path, got)
		}
	}
}
