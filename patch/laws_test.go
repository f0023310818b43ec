package patch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"pgregory.net/rapid"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/patch"
)

// applying applies a patch in JSON.
type applying func(from, patch []byte) ([]byte, error)

// law draws two versions of a resource, and finds a patch, as kubectl reads its text, that
// does not make the second of the first.
func law(draw *rapid.Generator[object], form patch.Form, apply applying) func(*rapid.T) {
	maker := patch.New(patch.Options{Form: form, CRDs: []*yaml.Node{parse(shops)}})
	return func(t *rapid.T) {
		from := draw.Draw(t, "from")
		to := mixed(t, from, draw.Draw(t, "other")).(object)
		if form == patch.Kustomize || form != patch.JSON && rapid.IntRange(0, 4).Draw(t, "any") < 4 {
			from, to = sayable(from).(object), sayable(to).(object)
		}
		p, differs, err := maker.Make(written(t, from), written(t, to))
		var unsayable *patch.Unsayable
		switch {
		case errors.As(err, &unsayable) && form != patch.JSON:
			return
		case err != nil:
			t.Fatal(err)
		}
		before, after := inJSON(t, from), inJSON(t, to)
		if !differs {
			if !reflect.DeepEqual(values(t, before, form), values(t, after, form)) {
				t.Fatalf("no patch of\n%s\nto\n%s", before, after)
			}
			return
		}
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		read, err := k8syaml.YAMLToJSON(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := apply(before, read)
		if err != nil {
			t.Fatalf("%v: the patch\n%s\nof\n%s", err, text, before)
		}
		if !reflect.DeepEqual(values(t, got, form), values(t, after, form)) {
			t.Fatalf("the patch\n%s\nof\n%s\ngives\n%s\nwant\n%s", text, before, got, after)
		}
	}
}

// TestLawJSON is the law of JSON patches: they say everything, of anything.
func TestLawJSON(t *testing.T) {
	apply := func(from, p []byte) ([]byte, error) {
		decoded, err := jsonpatch.DecodePatch(p)
		if err != nil {
			return nil, err
		}
		return decoded.Apply(from)
	}
	t.Run("custom", rapid.MakeCheck(law(drawCustom(), patch.JSON, apply)))
	t.Run("Deployment", rapid.MakeCheck(law(drawDeployment(), patch.JSON, apply)))
}

// TestLawMerge is the law of JSON merge patches.
func TestLawMerge(t *testing.T) {
	t.Run("custom", rapid.MakeCheck(law(drawCustom(), patch.Merge, jsonpatch.MergePatch)))
	t.Run("Deployment", rapid.MakeCheck(law(drawDeployment(), patch.Merge, jsonpatch.MergePatch)))
}

// TestLawStrategic is the law of strategic merge patches.
func TestLawStrategic(t *testing.T) {
	rapid.Check(t, law(drawDeployment(), patch.Strategic, func(from, p []byte) ([]byte, error) {
		return strategicpatch.StrategicMergePatch(from, p, appsv1.Deployment{})
	}))
}

// resource is a resource as kustomize has it.
func resource(text []byte) (*kyaml.RNode, error) {
	var m object
	if err := k8sjson.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	return kyaml.FromMap(m)
}

// TestLawKustomize is the law of patches for kustomize, of which kyaml has the merge: all
// comes out but for the order of elements, which kustomize has none for.
func TestLawKustomize(t *testing.T) {
	rapid.Check(t, law(drawDeployment(), patch.Kustomize, func(from, p []byte) ([]byte, error) {
		base, err := resource(from)
		if err != nil {
			return nil, err
		}
		read, err := resource(p)
		if err != nil {
			return nil, err
		}
		made, err := merge2.Merge(read, base, kyaml.MergeOptions{ListIncreaseDirection: kyaml.MergeOptionsListPrepend})
		if err != nil {
			return nil, err
		}
		values, err := made.Map()
		if err != nil {
			return nil, err
		}
		return json.Marshal(values)
	}))
}

func inJSON(t *rapid.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// values is what a JSON text says, with exact numbers. Where elements of lists have no order
// they are sorted.
func values(t *rapid.T, text []byte, form patch.Form) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return settled(v, form == patch.Kustomize)
}

func settled(v any, asSets bool) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return r.RatString()
		}
		return v.String()
	case object:
		for name := range v {
			v[name] = settled(v[name], asSets)
		}
	case []any:
		for i := range v {
			v[i] = settled(v[i], asSets)
		}
		if asSets {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return v
}
