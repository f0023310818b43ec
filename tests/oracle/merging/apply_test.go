package merging

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestDifferentialApplyCustom compares ClientApply with a live object after the patch that
// kubectl apply sends for a custom resource, a JSON merge patch. All three versions are
// arbitrary, and config has nulls. No difference is intended.
func TestDifferentialApplyCustom(t *testing.T) {
	tally := map[string]int{}
	eachDrawn(t, 30, every, func(d drawer, c drawn) {
		d.addNulls(c.sides[upstream], c.sides[origin])
		explainApply(t, applyCase{drawn: c}, mergePatched, nil, tally)
	})
	report(t, tally, nil)
}

// addNulls says of some fields that config dropped that they are null there, too.
func (d drawer) addNulls(config, last any) {
	c, isMap := config.(map[string]any)
	l, wasMap := last.(map[string]any)
	if !isMap || !wasMap {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if _, has := c[name]; !has && d.IntN(3) == 0 {
			c[name] = nil
		}
		d.addNulls(c[name], l[name])
	}
}

// applyCase is a case with strategic merge's schema of its kind, which is empty for a
// custom resource.
type applyCase struct {
	drawn
	column schema.Resource
}

// applyOracle returns the live object after another program's apply.
type applyOracle func(kindUnderTest, [3][]byte) ([]byte, error)

// mergePatched is the answer for custom resources.
func mergePatched(_ kindUnderTest, sides [3][]byte) ([]byte, error) {
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(sides[origin], sides[upstream], sides[local])
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(sides[local], patch)
}

// applyClass is a kind of difference that is intended.
type applyClass struct {
	name, reason string
	covers       func(applyCase, applyDifference) bool
}

// applyDifference is a place at which the answers differ. Absent is nil.
type applyDifference struct {
	path         string
	typ          *schema.Type
	theirs, ours any
	sides        [3]any
}

// explainApply tallies the classes of a case's differences. One that has none is an error.
func explainApply(t *testing.T, c applyCase, their applyOracle, classes []applyClass, tally map[string]int) {
	t.Helper()
	theirs, err := askOther(c, their)
	if err != nil {
		if tally[refusal(err)]++; refusal(err) == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		return
	}
	ours, conflicts := c.apply(t)
	tally["cases"]++
	tally["conflicts"] += conflicts
	alike := true
	compareApplied(applyDifference{typ: c.column.Type, theirs: theirs, ours: ours, sides: c.sides}, func(d applyDifference) {
		alike = false
		i := slices.IndexFunc(classes, func(of applyClass) bool { return of.covers(c, d) })
		if i < 0 {
			t.Errorf("%s: %s: theirs %v, ours %v; %v", c.name, d.path, d.theirs, d.ours, d.sides)
			return
		}
		tally[classes[i].name]++
	})
	if alike {
		tally["alike"]++
	}
}

// apply is our answer.
func (c applyCase) apply(t *testing.T) (result any, conflicts int) {
	t.Helper()
	out, err := merge.ResourceBy(merge.ClientApply{}, kinddraw.Nodes(c.sides), c.column, merge.Prefer(merge.PreferUpstream))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if err := out.Node.Decode(&result); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return throughJSON(t, result), len(out.Conflicts)
}

func askOther(c applyCase, their applyOracle) (result any, err error) {
	var texts [3][]byte
	for side, v := range c.sides {
		if texts[side], err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	text, err := their(c.kind, texts)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	return result, err
}

// throughJSON has numbers as encoding/json has them.
func throughJSON(t *testing.T, v any) (out any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compareApplied visits where the answers differ, as deep as both have maps, or lists with
// keys. In a list with keys only what comes in another order is visited as a whole.
func compareApplied(d applyDifference, visit func(applyDifference)) {
	theirs, isMap := d.theirs.(map[string]any)
	ours, both := d.ours.(map[string]any)
	if isMap && both {
		compareMaps(d, theirs, ours, d.typ.Field, func(v any) map[string]any { m, _ := v.(map[string]any); return m }, visit)
		return
	}
	byKey := func(v any) map[string]any { return keyed(d.typ, v) }
	if theirs, ours = byKey(d.theirs), byKey(d.ours); theirs != nil && ours != nil {
		compareMaps(d, theirs, ours, func(string) *schema.Type { return d.typ.Element() }, byKey, visit)
		if len(theirs) == len(ours) && !slices.Equal(keysOf(d.typ, d.theirs), keysOf(d.typ, d.ours)) {
			d.path += " (order)"
			visit(d)
		}
		return
	}
	if !reflect.DeepEqual(d.theirs, d.ours) {
		visit(d)
	}
}

// compareMaps compares entries by name; parts returns a side's entries.
func compareMaps(d applyDifference, theirs, ours map[string]any, typeOf func(string) *schema.Type, parts func(any) map[string]any, visit func(applyDifference)) {
	all := maps.Clone(theirs)
	maps.Copy(all, ours)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of := applyDifference{path: strings.TrimPrefix(d.path+"."+name, "."), typ: typeOf(name), theirs: theirs[name], ours: ours[name]}
		for side, v := range d.sides {
			of.sides[side] = parts(v)[name]
		}
		_, has := theirs[name]
		_, have := ours[name]
		if has != have {
			visit(of)
			continue
		}
		compareApplied(of, visit)
	}
}

// keyed is a list's elements by key, nil if the list is none with keys, or has one twice.
func keyed(typ *schema.Type, v any) map[string]any {
	list, isList := v.([]any)
	names := keysOf(typ, v)
	if !isList || names == nil {
		return nil
	}
	out := map[string]any{}
	for i, name := range names {
		out[name] = list[i]
	}
	if len(out) < len(list) {
		return nil
	}
	return out
}

// keysOf are the keys of a list's elements, in its order; nil if the list has none.
func keysOf(typ *schema.Type, v any) []string {
	list, _ := v.([]any)
	if typ == nil || typ.Relation != schema.Set && typ.Relation != schema.ListMap {
		return nil
	}
	names := []string{}
	for _, element := range list {
		if m, isMap := element.(map[string]any); isMap && typ.Relation == schema.ListMap {
			element = m[typ.Keys[0].Name]
		}
		names = append(names, fmt.Sprint(element))
	}
	return names
}

// TestDifferentialApplyStrategic compares ClientApply with a live object after the patch that
// kubectl apply sends for a built-in kind, a strategic merge patch. All three versions are
// arbitrary, and config has nulls. Every difference must be of a class that is intended,
// and every class must occur.
func TestDifferentialApplyStrategic(t *testing.T) {
	types := apiTypes(t)
	column := schema.NewColumn(schema.StrategicMerge, nil)
	tally := map[string]int{}
	eachDrawn(t, 100, hasType(types), func(d drawer, c drawn) {
		for _, side := range c.sides {
			delete(side.(map[string]any), "status")
		}
		d.addNulls(c.sides[upstream], c.sides[origin])
		group, version := identity.Group(c.kind.APIVersion), identity.Version(c.kind.APIVersion)
		explainApply(t, applyCase{c, column.Resource(group, version, c.kind.Name)}, strategicPatched(types), applyClasses(), tally)
	})
	report(t, tally, append(applyClassNames(), refusals()[1]))
}

// applyClassNames are the classes as report knows them.
func applyClassNames() []class {
	var out []class
	for _, c := range applyClasses() {
		out = append(out, class{name: c.name, reason: c.reason})
	}
	return out
}

// apiTypes are the Go types of the kinds of k8s.io/api.
func apiTypes(t *testing.T) *runtime.Scheme {
	t.Helper()
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistration.AddToScheme, apps.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme, certificates.AddToScheme,
		coordination.AddToScheme, core.AddToScheme, discovery.AddToScheme, flowcontrol.AddToScheme, networking.AddToScheme,
		node.AddToScheme, policy.AddToScheme, rbac.AddToScheme, scheduling.AddToScheme, storage.AddToScheme,
	} {
		if err := add(types); err != nil {
			t.Fatal(err)
		}
	}
	return types
}

// strategicPatched is the answer for built-in kinds.
func strategicPatched(types *runtime.Scheme) applyOracle {
	return func(kind kindUnderTest, sides [3][]byte) ([]byte, error) {
		meta, err := strategicpatch.NewPatchMetaFromStruct(typeOf(types, kind.Kind))
		if err != nil {
			return nil, err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(sides[origin], sides[upstream], sides[local], meta, true)
		if err != nil {
			return nil, err
		}
		return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(sides[local], patch, meta)
	}
}

// applyClasses lists the classes of intended differences.
func applyClasses() []applyClass {
	return []applyClass{
		{"order", "an element that only live has follows its neighbour; there it keeps its index (rules/apply: fields)", func(_ applyCase, d applyDifference) bool {
			return strings.HasSuffix(d.path, "(order)")
		}},
		{"null left", "null removes; there it stays in an element that is added, where the server reads it as absent (rules/apply: fields)", func(_ applyCase, d applyDifference) bool {
			return d.theirs == nil && d.ours == nil
		}},
		{"directive left", "a value that is added is config's; there a directive of the patch stays in it (rules/apply: fields)", func(_ applyCase, d applyDifference) bool {
			return strings.Contains(d.path, ".$") || strings.Contains(fmt.Sprint(d.theirs), "$patch:")
		}},
		{"amount", "what the server stores alike is equal; there 1 for \"1\" is a change (rules/apply: lists)", func(_ applyCase, d applyDifference) bool {
			return d.typ != nil && d.typ.Scalar == schema.Quantity && fmt.Sprint(d.theirs) == fmt.Sprint(d.ours)
		}},
	}
}
