package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestDifferentialApplyCustom compares ClientApply with what kubectl apply sends for a
// custom resource, a JSON merge patch, applied to what is live. All three versions are
// arbitrary, and config has nulls. No difference is intended.
func TestDifferentialApplyCustom(t *testing.T) {
	tally := map[string]int{}
	eachDrawn(t, 30, func(kindUnderTest) bool { return true }, func(d drawer, c drawn) {
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

// applyCase is a case with what strategic merge knows of its kind: nothing of a custom
// resource.
type applyCase struct {
	drawn
	column schema.Resource
}

// applyOracle is another program's answer to the question what an apply makes of a live
// object.
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
	// alike says that the difference is in a list whose key leaves elements alike.
	alike bool
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
	out, err := ResourceBy(ClientApply{}, encode(c.sides), c.column, Prefer(PreferUpstream))
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
	for _, side := range d.sides {
		d.alike = d.alike || len(keysOf(d.typ, side)) > len(keyed(d.typ, side))
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

// compareMaps compares entries, of which parts finds those of the sides.
func compareMaps(d applyDifference, theirs, ours map[string]any, typeOf func(string) *schema.Type, parts func(any) map[string]any, visit func(applyDifference)) {
	all := maps.Clone(theirs)
	maps.Copy(all, ours)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of := applyDifference{path: strings.TrimPrefix(d.path+"."+name, "."), typ: typeOf(name), theirs: theirs[name], ours: ours[name], alike: d.alike}
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
