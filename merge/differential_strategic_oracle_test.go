package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// goTypes are the Go types of the kinds that are compared with strategicpatch;
// their struct tags are its schema.
func goTypes() *runtime.Scheme {
	types := runtime.NewScheme()
	types.AddKnownTypes(apps.SchemeGroupVersion, &apps.Deployment{}, &apps.StatefulSet{}, &apps.DaemonSet{}, &apps.ControllerRevision{})
	types.AddKnownTypes(batch.SchemeGroupVersion, &batch.Job{}, &batch.CronJob{})
	types.AddKnownTypes(core.SchemeGroupVersion, &core.Pod{}, &core.PodTemplate{}, &core.Service{}, &core.ServiceAccount{},
		&core.ConfigMap{}, &core.Secret{}, &core.PersistentVolume{}, &core.PersistentVolumeClaim{})
	types.AddKnownTypes(networking.SchemeGroupVersion, &networking.Ingress{}, &networking.NetworkPolicy{})
	types.AddKnownTypes(policy.SchemeGroupVersion, &policy.PodDisruptionBudget{})
	types.AddKnownTypes(autoscaling.SchemeGroupVersion, &autoscaling.HorizontalPodAutoscaler{})
	types.AddKnownTypes(admissionregistration.SchemeGroupVersion, &admissionregistration.ValidatingWebhookConfiguration{},
		&admissionregistration.ValidatingAdmissionPolicy{})
	return types
}

// typeOf is the Go type of a kind, nil if it has none here.
func typeOf(types *runtime.Scheme, kind kindUnderTest) runtime.Object {
	object, err := types.New(gvk.FromAPIVersionAndKind(kind.apiVersion, kind.kind))
	if err != nil {
		return nil
	}
	return object
}

// hasType returns the choice of the kinds that have a Go type.
func hasType(types *runtime.Scheme) func(kindUnderTest) bool {
	return func(kind kindUnderTest) bool { return typeOf(types, kind) != nil }
}

// patched returns strategicpatch's answer: what kubectl apply sends where origin
// was applied last, upstream is applied now and local is in the cluster, applied
// to local.
func patched(types *runtime.Scheme) oracle {
	return func(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error) {
		var texts [3][]byte
		for side, v := range sides {
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			texts[side] = text
		}
		goType := typeOf(types, kind)
		meta, err := strategicpatch.NewPatchMetaFromStruct(goType)
		if err != nil {
			return nil, err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(texts[origin], texts[upstream], texts[local], meta, true)
		if err != nil {
			return nil, fmt.Errorf("making the patch: %w", err)
		}
		merged, err := strategicpatch.StrategicMergePatch(texts[local], patch, goType)
		if err != nil {
			return nil, fmt.Errorf("patching: %w", err)
		}
		var v any
		if err := yaml.Unmarshal(merged, &v); err != nil {
			return nil, err
		}
		return kind.theirs.FromUnstructured(v, typed.AllowDuplicates)
	}
}

// onlyAdds is a case whose local side only adds to origin, and only what
// upstream has not, neither: fields, elements and keys of maps. kubectl
// overwrites what else local changed.
func (d drawer) onlyAdds(c drawn) drawn {
	c.sides[local] = d.additions(c.sides, c.kind.theirs.TypeRef, c.kind.ours.Type)
	return c
}

// additions is origin's value with what local adds.
func (d drawer) additions(sides [3]any, ref smd.TypeRef, typ *schema.Type) any {
	atom := d.resolve(ref)
	switch sides[origin].(type) {
	case map[string]any:
		if atom.Map.ElementRelationship != smd.Atomic {
			return d.addedFields(sides, atom.Map, typ)
		}
	case []any:
		if atom.List.ElementRelationship == smd.Associative {
			return d.addedElements(sides, atom.List, typ)
		}
	}
	return deepCopy(sides[origin])
}

func (d drawer) addedFields(sides [3]any, of *smd.Map, typ *schema.Type) map[string]any {
	var maps3 [3]map[string]any
	for side, v := range sides {
		maps3[side], _ = v.(map[string]any)
	}
	out := deepCopy(sides[origin]).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(maps3[local])) {
		fields := [3]any{maps3[origin][name], maps3[upstream][name], maps3[local][name]}
		switch {
		case fields[origin] != nil:
			out[name] = d.additions(fields, fieldRef(of, name), typ.Field(name))
		case fields[upstream] == nil && !hasRival(typ, name, maps3):
			out[name] = fields[local]
		}
	}
	return out
}

// hasRival reports whether origin or upstream has a field that excludes another.
func hasRival(typ *schema.Type, name string, maps3 [3]map[string]any) bool {
	return slices.ContainsFunc(rivals(typ, name), func(rival string) bool {
		return maps3[origin][rival] != nil || maps3[upstream][rival] != nil
	})
}

func (d drawer) addedElements(sides [3]any, of *smd.List, typ *schema.Type) []any {
	out := []any{}
	for _, element := range sides[origin].([]any) {
		own := [3]any{element, sameElement(sides[upstream], element, of), sameElement(sides[local], element, of)}
		out = append(out, d.additions(own, of.ElementType, typ.Element()))
	}
	elements, _ := sides[local].([]any)
	for _, element := range elements {
		if sameElement(sides[origin], element, of) == nil && sameElement(sides[upstream], element, of) == nil {
			out = append(out, element)
		}
	}
	return out
}

// sameElement is the element of a list that has the key of another.
func sameElement(list, element any, of *smd.List) any {
	elements, _ := list.([]any)
	for _, other := range elements {
		if sameKey(other, element, of) {
			return other
		}
	}
	return nil
}
