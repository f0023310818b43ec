package merging

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

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
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestDifferentialStrategicPatch compares merge.Resource under policy upstream
// with apimachinery's strategicpatch, as kubectl apply uses it, on the kinds of
// goTypes. kubectl overwrites what local changed, and so local only adds here;
// what upstream does is arbitrary. Every difference must be of a class that is
// intended, and every class must occur.
func TestDifferentialStrategicPatch(t *testing.T) {
	types := goTypes()
	classes := patchTypes{types}.classes()
	tally := map[string]int{}
	eachDrawn(t, 300, hasType(types), func(d drawer, c drawn) {
		a, err := ask(d.onlyAdds(c), patched(types))
		if err == nil {
			explain(t, a, classes, tally)
			return
		}
		if tally[refusal(err)]++; refusal(err) == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	})
	report(t, tally, append(classes, refusals()...))
}

// refusals lists the classes of cases that strategicpatch does not answer.
func refusals() []class {
	return []class{
		{name: "element refused", reason: "an atomic list may have elements without the key by which strategicpatch would merge it, or with one key twice; there they are an error (counts cases) (rules/schemas: built-in kinds)"},
		{name: "field refused", reason: "what no type describes is a value like any other; there its fields are an error (counts cases) (rules/fields: whole values)"},
	}
}

// refusal is the class of an error of strategicpatch, "" if it has none.
func refusal(err error) string {
	switch {
	case strings.Contains(err.Error(), "does not contain declared merge key"), strings.Contains(err.Error(), "doesn't match $setElementOrder list"):
		return "element refused"
	case strings.Contains(err.Error(), "unable to find api field in struct RawExtension"), strings.Contains(err.Error(), "data type is not struct"):
		return "field refused"
	}
	return ""
}

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
func typeOf(types *runtime.Scheme, kind kinddraw.Kind) runtime.Object {
	object, err := types.New(gvk.FromAPIVersionAndKind(kind.APIVersion, kind.Name))
	if err != nil {
		return nil
	}
	return object
}

// hasType returns the choice of the kinds that have a Go type.
func hasType(types *runtime.Scheme) func(kinddraw.Kind) bool {
	return func(kind kinddraw.Kind) bool { return typeOf(types, kind) != nil }
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
		goType := typeOf(types, kind.Kind)
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
	c.sides[local] = d.additions(c.sides, c.kind.Type, c.kind.Ours.Type)
	return c
}

// additions returns origin's value with local's additions.
func (d drawer) additions(sides [3]any, ref kinddraw.TypeRef, typ *schema.Type) any {
	atom := d.Resolve(ref)
	switch sides[origin].(type) {
	case map[string]any:
		if atom.Map.ElementRelationship != kinddraw.Atomic {
			return d.addedFields(sides, atom.Map, typ)
		}
	case []any:
		if atom.List.ElementRelationship == kinddraw.Associative {
			return d.addedElements(sides, atom.List, typ)
		}
	}
	return kinddraw.Copy(sides[origin])
}

func (d drawer) addedFields(sides [3]any, of *kinddraw.Map, typ *schema.Type) map[string]any {
	var maps3 [3]map[string]any
	for side, v := range sides {
		maps3[side], _ = v.(map[string]any)
	}
	out := kinddraw.Copy(sides[origin]).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(maps3[local])) {
		fields := [3]any{maps3[origin][name], maps3[upstream][name], maps3[local][name]}
		switch {
		case fields[origin] != nil:
			out[name] = d.additions(fields, kinddraw.FieldRef(of, name), typ.Field(name))
		case fields[upstream] == nil && !hasRival(typ, name, maps3):
			out[name] = fields[local]
		}
	}
	return out
}

// hasRival reports whether origin or upstream has a field that excludes another.
func hasRival(typ *schema.Type, name string, maps3 [3]map[string]any) bool {
	return slices.ContainsFunc(kinddraw.Rivals(typ, name), func(rival string) bool {
		return maps3[origin][rival] != nil || maps3[upstream][rival] != nil
	})
}

func (d drawer) addedElements(sides [3]any, of *kinddraw.List, typ *schema.Type) []any {
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
func sameElement(list, element any, of *kinddraw.List) any {
	elements, _ := list.([]any)
	for _, other := range elements {
		if kinddraw.SameKey(other, element, of) {
			return other
		}
	}
	return nil
}

// patchTypes are the Go types whose tags tell strategicpatch how to merge.
type patchTypes struct{ *runtime.Scheme }

// classes lists the classes of differences from strategicpatch; the first that
// covers a difference counts.
func (p patchTypes) classes() []class {
	return []class{
		{"re-keyed", "an element with another key and all else the same, or a port of the same name, is that element changed; there one is gone and another new (rules/lists: re-keyed elements)",
			rekeyed},
		{"gone with what held it", "upstream removed a map or list, and what is local's own in it stays; there it goes too (rules/fields: maps)", goneWithHolder},
		{"replaced", "selectors and lists with keys merge by these; there some have no patch strategy or \"replace\", are upstream's, and what local added is lost (rules/schemas: built-in kinds)",
			p.replaced},
		{"list merged", "an atomic list is upstream's if upstream changed it; there its elements merge by one field, and those that have it in common become one (rules/schemas: built-in kinds)",
			p.listMerged},
		{"half a key", "a port's key has the protocol in it, a constraint's whenUnsatisfiable; there it is one field, and of two elements one is lost or takes what is the other's (rules/schemas: columns of the clusters)",
			p.halfKey},
		{"amount", "quantities compare by the amount, so that 1 for \"1\" is no change; there it is one (rules/fields: equality)", sameAmount},
		{"union", "a switch stands, and the loss is a conflict; there members that exclude each other mix (rules/unions: switches)", inUnion},
		{"retained keys", "what local adds to a strategy or volume stays, unless it is another member; there only the fields that upstream has stay (rules/fields: maps; rules/unions: union structs)",
			p.notRetained},
		replacedWhole(),
	}
}

// goneWithHolder reports whether the difference is an addition of local to a map
// or list that upstream removed.
func goneWithHolder(a answers, d difference) bool {
	return isLocalsOwn(d) && slices.ContainsFunc(prefixes(d.path), func(holder fieldpath.Path) bool {
		at := a.at(holder)
		return at.origin != nil && at.upstream == nil && at.theirs == nil
	})
}

// isLocalsOwn reports whether a difference is something only local has, and that
// only our answer keeps.
func isLocalsOwn(d difference) bool {
	return d.origin == nil && d.upstream == nil && d.theirs == nil && reflect.DeepEqual(d.ours, d.local)
}

// prefixes are the paths above a path, and itself.
func prefixes(path fieldpath.Path) []fieldpath.Path {
	var out []fieldpath.Path
	for i := range path {
		out = append(out, path[:i+1])
	}
	return out
}

// replaced reports whether the difference is an addition of local to a list or
// struct that strategicpatch does not merge.
func (p patchTypes) replaced(a answers, d difference) bool {
	return isLocalsOwn(d) && slices.ContainsFunc(prefixes(d.path), func(holder fieldpath.Path) bool {
		at, meta := a.at(holder), p.at(a.kind, holder)
		isList := len(holder) < len(d.path) && d.path[len(holder)].FieldName == nil
		whole := isList && !p.merges(a.kind, holder) || slices.Contains(meta.GetPatchStrategies(), "replace")
		return whole && reflect.DeepEqual(at.theirs, at.upstream)
	})
}

// listMerged reports whether the difference is a list that only strategicpatch
// merges.
func (p patchTypes) listMerged(a answers, d difference) bool {
	_, isList := d.upstream.([]any)
	return isList && reflect.DeepEqual(d.ours, d.upstream) && p.merges(a.kind, d.path)
}

// halfKey reports whether the difference is in an element beside which, on some
// side, there is another with the same merge key of strategicpatch.
func (p patchTypes) halfKey(a answers, d difference) bool {
	return asDecided(a, d) && slices.ContainsFunc(prefixes(d.path), func(element fieldpath.Path) bool {
		step, list := element[len(element)-1], element[:len(element)-1]
		if step.Key == nil {
			return false
		}
		meta := p.at(a.kind, list)
		return len(similar(a, list, *step.Key, meta.GetPatchMergeKey())) > 1
	})
}

// similar are the keys, as text, of the elements of a list that have one field
// of a key.
func similar(a answers, list fieldpath.Path, key smdvalue.FieldList, field string) map[string]bool {
	var names []string
	var want any
	for _, part := range key {
		names = append(names, part.Name)
		if part.Name == field {
			want = part.Value.Unstructured()
		}
	}
	found := map[string]bool{}
	for _, side := range identity.Sides() {
		elements, _ := at(a.sides[side], list).([]any)
		for _, element := range elements {
			if own := kinddraw.KeyOf(element.(map[string]any), names); own[field] == want {
				found[fmt.Sprint(own)] = true
			}
		}
	}
	return found
}

// notRetained reports whether the difference is an addition of local's to a struct
// in which strategicpatch retains only upstream's fields.
func (p patchTypes) notRetained(a answers, d difference) bool {
	return isLocalsOwn(d) && slices.ContainsFunc(prefixes(d.path), func(holder fieldpath.Path) bool {
		if last := holder[len(holder)-1]; last.FieldName == nil {
			holder = holder[:len(holder)-1]
		}
		meta := p.at(a.kind, holder)
		return slices.Contains(meta.GetPatchStrategies(), "retainKeys")
	})
}

// merges reports whether strategicpatch merges the list at a path.
func (p patchTypes) merges(kind kindUnderTest, list fieldpath.Path) bool {
	meta := p.at(kind, list)
	return slices.Contains(meta.GetPatchStrategies(), "merge")
}

// at returns strategicpatch's schema of the field at a path.
func (p patchTypes) at(kind kindUnderTest, path fieldpath.Path) strategicpatch.PatchMeta {
	var holder strategicpatch.LookupPatchMeta
	holder, err := strategicpatch.NewPatchMetaFromStruct(typeOf(p.Scheme, kind.Kind))
	for i, step := range path {
		switch last := i == len(path)-1; {
		case err != nil:
			return strategicpatch.PatchMeta{}
		case step.FieldName == nil:
		case !last && path[i+1].FieldName == nil:
			holder, _, err = holder.LookupPatchMetadataForSlice(*step.FieldName)
		default:
			var meta strategicpatch.PatchMeta
			if holder, meta, err = holder.LookupPatchMetadataForStruct(*step.FieldName); last && err == nil {
				return meta
			}
		}
	}
	return strategicpatch.PatchMeta{}
}
