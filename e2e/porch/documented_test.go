package main

import (
	"os"
	"regexp"
	"testing"

	variantsets "github.com/nephio-project/porch/controllers/packagevariantsets/api/v1alpha2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestDocumentedManifests holds the manifests that docs/fleet.md has for Porch against
// the types of Porch and Kubernetes: no field is unknown.
func TestDocumentedManifests(t *testing.T) {
	document, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`(?s)## In Porch\n(.*?)\n## `).FindSubmatch(document)
	if section == nil {
		t.Fatal("docs/fleet.md has no section about Porch")
	}
	var set variantsets.PackageVariantSet
	var pod corev1.Pod
	into := []any{&set, &pod}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(section[1], -1)
	if len(blocks) != len(into) {
		t.Fatalf("the section has %d manifests", len(blocks))
	}
	for i, block := range blocks {
		if err := yaml.UnmarshalStrict(block[1], into[i]); err != nil {
			t.Errorf("%v\n%s", err, block[1])
		}
	}
	function := set.Spec.Targets[0].Template.Pipeline.Mutators[0]
	if function.Image == "" || function.ConfigMap["text-values"] != "true" {
		t.Errorf("the set's function is %+v", function)
	}
}
