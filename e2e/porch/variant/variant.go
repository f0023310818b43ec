// Package variant makes of the answer of a function what Porch notes of it in the status
// of a PackageVariant, with Porch's own types.
package variant

import (
	"encoding/json"
	"fmt"

	variants "github.com/nephio-project/porch/controllers/packagevariants/api/v1alpha1"
	fnresult "github.com/nephio-project/porch/pkg/kpt/api/fnresult/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// Merged is the variant of a package whose pipeline ended with a ResourceList. The error
// is that with which Porch drops the package revision.
func Merged(name string, list []byte) (variants.PackageVariant, error) {
	v := named(name)
	var out struct{ Results framework.Results }
	if err := yaml.Unmarshal(list, &out); err != nil {
		return v, err
	}
	text, err := json.Marshal(fnresult.ResultList{Items: []fnresult.Result{{Image: wrapper.Image, Results: out.Results}}})
	if err != nil {
		return v, err
	}
	target := variants.DownstreamTarget{Name: "edge." + name + ".v2"}
	if err := json.Unmarshal(text, &target.RenderStatus.Result); err != nil {
		return v, err
	}
	v.Status.DownstreamTargets = []variants.DownstreamTarget{target}
	v.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True", Message: "successfully ensured downstream package variant"}}
	return v, nil
}

// Failed is the variant of a package whose pipeline failed.
func Failed(name string, err error) variants.PackageVariant {
	v := named(name)
	v.Status.Conditions = []metav1.Condition{{
		Type: "Ready", Status: "False", Reason: "Error", Message: fmt.Sprintf("fn.render: pkg /: func eval %q failed: %v", wrapper.Image, err),
	}}
	return v
}

func named(name string) variants.PackageVariant {
	var v variants.PackageVariant
	v.APIVersion, v.Kind, v.Name = "config.porch.kpt.dev/v1alpha1", "PackageVariant", name
	v.Spec.Downstream = &variants.Downstream{Repo: "edge", Package: name}
	return v
}
