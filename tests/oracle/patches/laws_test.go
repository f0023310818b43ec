package patches

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
	appsv1 "k8s.io/api/apps/v1"
	"pgregory.net/rapid"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/tests/oracle/apply"
)

// parse reads one resource.
func parse(text string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		panic(err)
	}
	return document.Content[0]
}

// applying applies a patch in JSON.
type applying func(from, patch []byte) ([]byte, error)

// law draws two versions of a resource, and finds a patch, as kubectl reads its text, that
// does not make the second of the first.
func law(draw *rapid.Generator[object], form patch.Form, by applying) func(*rapid.T) {
	maker := patch.New(patch.Options{Form: form, CRDs: []*yaml.Node{parse(shops)}})
	return func(t *rapid.T) {
		from := draw.Draw(t, "from")
		to := mixed(t, from, draw.Draw(t, "other")).(object)
		if form == patch.Kustomize || form != patch.JSON && rapid.IntRange(0, 4).Draw(t, "any") < 4 {
			from, to = sayable(from).(object), sayable(to).(object)
		}
		p, differs, err := maker.Make(written(t, from), written(t, to))
		switch {
		case errors.Is(err, patch.ErrInexpressible) && form != patch.JSON:
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
		got, err := by(before, read)
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
	t.Run("custom", rapid.MakeCheck(law(drawCustom(), patch.JSON, apply.JSON)))
	t.Run("Deployment", rapid.MakeCheck(law(drawDeployment(), patch.JSON, apply.JSON)))
}

// TestLawMerge is the law of JSON merge patches.
func TestLawMerge(t *testing.T) {
	t.Run("custom", rapid.MakeCheck(law(drawCustom(), patch.Merge, apply.Merge)))
	t.Run("Deployment", rapid.MakeCheck(law(drawDeployment(), patch.Merge, apply.Merge)))
}

// TestLawStrategic is the law of strategic merge patches.
func TestLawStrategic(t *testing.T) {
	rapid.Check(t, law(drawDeployment(), patch.Strategic, func(from, p []byte) ([]byte, error) {
		return apply.Strategic(from, p, appsv1.Deployment{})
	}))
}

// TestLawKustomize is the law of patches for kustomize, whose merge is kyaml's: the result is
// equal but for the order of elements, which kustomize's patches cannot express.
func TestLawKustomize(t *testing.T) {
	rapid.Check(t, law(drawDeployment(), patch.Kustomize, apply.Kustomize))
}

func inJSON(t *rapid.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// values returns the value of a JSON text, with exact numbers. Where elements of lists have no
// order they are sorted.
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
