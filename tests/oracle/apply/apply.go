// Package apply applies patches by the libraries that the API server, kubectl and kustomize apply
// them with.
package apply

import (
	"encoding/json"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
)

// Types are the Go types of the kinds that strategic patches are applied to. Their struct tags
// say how.
func Types() (*runtime.Scheme, error) {
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, apps.AddToScheme, batch.AddToScheme, networking.AddToScheme, policy.AddToScheme,
		autoscaling.AddToScheme, rbac.AddToScheme, storage.AddToScheme, admissionregistration.AddToScheme,
	} {
		if err := add(types); err != nil {
			return nil, err
		}
	}
	return types, nil
}

// JSON applies a JSON patch.
func JSON(base, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return operations.Apply(base)
}

// Merge applies a JSON merge patch.
func Merge(base, patch []byte) ([]byte, error) { return jsonpatch.MergePatch(base, patch) }

// Strategic applies a strategic merge patch to a resource of a Go type.
func Strategic(base, patch []byte, goType any) ([]byte, error) {
	return strategicpatch.StrategicMergePatch(base, patch, goType)
}

// Kustomize applies a strategic merge patch as kustomize does.
func Kustomize(base, patch []byte) ([]byte, error) {
	to, err := nodeOf(base)
	if err != nil {
		return nil, err
	}
	from, err := nodeOf(patch)
	if err != nil {
		return nil, err
	}
	made, err := merge2.Merge(from, to, kyaml.MergeOptions{ListIncreaseDirection: kyaml.MergeOptionsListPrepend})
	if err != nil {
		return nil, err
	}
	values, err := made.Map()
	if err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

// nodeOf is a resource as kustomize has it.
func nodeOf(text []byte) (*kyaml.RNode, error) {
	var m map[string]any
	if err := k8sjson.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	return kyaml.FromMap(m)
}
