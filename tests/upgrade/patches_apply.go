package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"

	"github.com/resource-merge/resource-merge/patch"
)

// appliers apply patches as their readers do.
type appliers struct{ scheme *runtime.Scheme }

func newAppliers() (appliers, error) {
	a := appliers{runtime.NewScheme()}
	for _, add := range []func(*runtime.Scheme) error{
		admissionv1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme,
		networkingv1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme, storagev1.AddToScheme,
	} {
		if err := add(a.scheme); err != nil {
			return a, err
		}
	}
	return a, nil
}

// apply applies a patch in JSON, and reports whether it could be tried: a strategic patch
// needs the Go type of its kind.
func (a appliers) apply(p patch.Patch, from, text []byte) (got []byte, applied bool, err error) {
	switch p.Form {
	case patch.JSON:
		operations, err := jsonpatch.DecodePatch(text)
		if err != nil {
			return nil, false, err
		}
		got, err = operations.Apply(from)
		return got, true, err
	case patch.Merge:
		got, err = jsonpatch.MergePatch(from, text)
		return got, true, err
	case patch.Kustomize:
		got, err = byKustomize(from, text)
		return got, true, err
	}
	object, err := a.scheme.New(k8sschema.FromAPIVersionAndKind(p.Target.APIVersion, p.Target.Kind))
	if err != nil {
		return nil, false, nil // of a kind that has no Go type here
	}
	got, err = strategicpatch.StrategicMergePatch(from, text, object)
	return got, true, err
}

// byKustomize applies a patch with the merge that kustomize has.
func byKustomize(from, text []byte) ([]byte, error) {
	var nodes [2]*kyaml.RNode
	for i, t := range [2][]byte{from, text} {
		var m map[string]any
		if err := k8sjson.Unmarshal(t, &m); err != nil {
			return nil, err
		}
		var err error
		if nodes[i], err = kyaml.FromMap(m); err != nil {
			return nil, err
		}
	}
	made, err := merge2.Merge(nodes[1], nodes[0], kyaml.MergeOptions{ListIncreaseDirection: kyaml.MergeOptionsListPrepend})
	if err != nil {
		return nil, err
	}
	values, err := made.Map()
	if err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

// sameJSON reports whether two resources in JSON are the same, for kustomize but for the order
// of lists.
func sameJSON(form patch.Form, x, y []byte) bool {
	var v, w any
	if json.Unmarshal(x, &v) != nil || json.Unmarshal(y, &w) != nil {
		return false
	}
	if form == patch.Kustomize {
		v, w = unordered(v), unordered(w)
	}
	return reflect.DeepEqual(v, w)
}

// unordered is a value whose lists are sorted.
func unordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = unordered(v[name])
		}
	case []any:
		for i := range v {
			v[i] = unordered(v[i])
		}
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return v
}
