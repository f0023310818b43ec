package merging

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// applying applies a patch as the API server does.
type applying func(p drawnPair, from, patch []byte) ([]byte, error)

// TestPatchLawMerge is the law of JSON merge patches: evanphx/json-patch, which the API
// server applies them with, makes of the first version the second.
func TestPatchLawMerge(t *testing.T) {
	checkPatchLaw(t, 12, patch.Merge, func(_ drawnPair, from, p []byte) ([]byte, error) { return jsonpatch.MergePatch(from, p) })
}

// TestPatchLawJSON is the law of JSON patches. They can say everything.
func TestPatchLawJSON(t *testing.T) {
	checkPatchLaw(t, 12, patch.JSON, func(_ drawnPair, from, p []byte) ([]byte, error) {
		decoded, err := jsonpatch.DecodePatch(p)
		if err != nil {
			return nil, err
		}
		return decoded.Apply(from)
	})
}

// TestPatchLawStrategic is the law of strategic merge patches: apimachinery, which the API
// server applies them with, makes of the first version the second.
func TestPatchLawStrategic(t *testing.T) {
	checkPatchLaw(t, 40, patch.Strategic, func(p drawnPair, from, text []byte) ([]byte, error) {
		return strategicpatch.StrategicMergePatch(from, text, p.GoType)
	})
}

func checkPatchLaw(t *testing.T, seeds int, form patch.Form, apply applying) {
	t.Helper()
	maker, tally := patch.New(patch.Options{Form: form}), map[string]int{}
	eachDrawnPair(t, seeds, func(p drawnPair) {
		if form == patch.Strategic && p.GoType == nil {
			return
		}
		text, differs, err := patchOf(maker, p)
		switch {
		case errors.Is(err, patch.ErrInexpressible) && form != patch.JSON:
			_, reason, _ := strings.Cut(err.Error(), patch.ErrInexpressible.Error()+": ")
			tally["inexpressible: "+reason]++
			return
		case err != nil:
			t.Fatalf("%s: %v", p.Name, err)
		case !differs:
			tally["alike"]++
			if !reflect.DeepEqual(through(t, p.From), through(t, p.To)) {
				t.Errorf("%s: no patch", p.Name)
			}
			return
		}
		got, err := apply(p, encoded(t, p.From), text)
		if form == patch.Strategic {
			tally[checkDirectives(t, p, text)]++
		}
		if err != nil && strings.Contains(err.Error(), "RawExtension") {
			tally["no type"]++
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.Name, err, text)
		}
		tally["applied"]++
		var result any
		if err := json.Unmarshal(got, &result); err != nil {
			t.Fatal(err)
		}
		if want := through(t, p.To); !reflect.DeepEqual(result, want) {
			t.Fatalf("%s: the patch\n%s\nof\n%s\ngives\n%s\nwant\n%s", p.Name, text, encoded(t, p.From), got, encoded(t, want))
		}
	})
	t.Log(tally)
	if tally["applied"] < 500 {
		t.Errorf("only %d patches were applied", tally["applied"])
	}
}

// checkDirectives finds a strategic patch that differs from apimachinery's for the versions,
// except in the fields that identify the resource. apimachinery's patches do not apply where
// a list has a key twice.
func checkDirectives(t *testing.T, p drawnPair, text []byte) string {
	t.Helper()
	theirs, err := strategicpatch.CreateTwoWayMergePatch(encoded(t, p.From), encoded(t, p.To), p.GoType)
	if err != nil {
		return "apimachinery makes no patch"
	}
	if p.Kind == "PodDisruptionBudget" {
		return "apimachinery sends a selector that did not change"
	}
	if bytes.Contains(text, []byte(`"$patch":"replace"`)) {
		return "apimachinery's patch would not apply"
	}
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal(theirs, &want), json.Unmarshal(text, &got)); err != nil {
		t.Fatal(err)
	}
	delete(got, "apiVersion")
	delete(got, "kind")
	for _, m := range [2]map[string]any{got, want} {
		if metadata, is := m["metadata"].(map[string]any); is {
			delete(metadata, "name")
			delete(metadata, "namespace")
		}
		settle(m)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the patch\n%s\napimachinery's\n%s", p.Name, text, theirs)
	}
	return "as apimachinery makes it"
}

// settle brings a patch into the form that is compared: what is deleted in the order of
// its text, and without an order of finalizers, which apimachinery sorts before it asks
// whether their order differs.
func settle(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			settle(v[name])
			inner, isMap := v[name].(map[string]any)
			gone, isList := v[name].([]any)
			switch {
			case name == "$setElementOrder/finalizers", isMap && len(inner) == 0:
				delete(v, name)
			case isList && strings.HasPrefix(name, "$deleteFromPrimitiveList/"):
				sortByText(gone)
			}
		}
	case []any:
		first := slices.IndexFunc(v, func(e any) bool { m, _ := e.(map[string]any); return m["$patch"] == "delete" })
		if first >= 0 {
			sortByText(v[first:])
		}
		for _, e := range v {
			settle(e)
		}
	}
}

func sortByText(list []any) {
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// patchOf is a drawn pair's patch as JSON.
func patchOf(maker *patch.Maker, p drawnPair) (text []byte, differs bool, err error) {
	from, err := read(p.From)
	if err != nil {
		return nil, false, err
	}
	to, err := read(p.To)
	if err != nil {
		return nil, false, err
	}
	made, differs, err := maker.Make(from, to)
	if err != nil || !differs {
		return nil, differs, err
	}
	var v any
	if err := made.Node.Decode(&v); err != nil {
		return nil, false, err
	}
	text, err = json.Marshal(v)
	return text, true, err
}

// read is a value as it would be read from YAML.
func read(v any) (*yaml.Node, error) {
	text, err := yaml.Marshal(v)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text)
	}
	return document.Content[0], nil
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// through is a value as JSON reads it.
func through(t *testing.T, v any) (out any) {
	t.Helper()
	if err := json.Unmarshal(encoded(t, v), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// drawnPair are two versions of a built-in kind. GoType is nil where the tests have no Go
// type of the kind.
type drawnPair struct {
	Name, APIVersion, Kind string
	GoType                 runtime.Object
	From, To               map[string]any
}

// eachDrawnPair draws pairs of versions of every built-in kind, so many of each: in some,
// elements of lists change places or are there twice, and in some, fields are null.
func eachDrawnPair(t *testing.T, seeds int, check func(drawnPair)) {
	t.Helper()
	types := goTypes()
	eachDrawn(t, seeds, every, func(d drawer, c drawn) {
		pair := drawnPair{
			Name: c.name, APIVersion: c.kind.APIVersion, Kind: c.kind.Name, GoType: typeOf(types, c.kind.Kind),
			From: c.sides[origin].(map[string]any), To: c.sides[local].(map[string]any),
		}
		d.disturb(pair.From, d.IntN(4))
		d.disturb(pair.To, d.IntN(4))
		for _, side := range [2]map[string]any{pair.From, pair.To} {
			side["metadata"].(map[string]any)["name"] = "x"
		}
		check(pair)
	})
}

// disturb does to an object what drawing and editing along a schema never do: in one of
// four ways nothing.
func (d drawer) disturb(v any, how int) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list, isList := v[name].([]any)
			switch {
			case isList && len(list) > 0 && how == 1 && d.IntN(2) == 0:
				d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			case isList && len(list) > 0 && how == 2 && d.IntN(4) == 0:
				v[name] = append(list, kinddraw.Copy(list[d.IntN(len(list))]))
			case how == 3 && name != "apiVersion" && name != "kind" && name != "metadata" && d.IntN(12) == 0:
				v[name] = nil
			}
			d.disturb(v[name], how)
		}
	case []any:
		for _, element := range v {
			d.disturb(element, how)
		}
	}
}
