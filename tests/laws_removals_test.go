package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawRemovals checks on drawn resources that a removal collides with a change inside of the removed map or list, and
// that an addition is a change, whatever the way out and whichever side removed (rules/laws: removals collide). Only
// additions to a map of names come without a word.
func TestLawRemovals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRemoval(t)
		for _, way := range ways.All() {
			for _, swapped := range []bool{false, true} {
				p := mergecheck.Package{Origin: d.file(t, d.origin), Upstream: d.file(t, d.removed), Local: d.file(t, d.changed)}
				if swapped {
					p.Upstream, p.Local = p.Local, p.Upstream
				}
				all, err := ways.Merge(t.Context(), way, p)
				if err != nil || len(all) != 1 {
					t.Fatalf("%s: not merged: %v, %+v", way, err, all)
				}
				if all[0].Unchecked == ways.LeftToGit && all[0].Conflicts > 0 {
					continue // git's lines collide
				}
				d.check(t, all[0], fmt.Sprintf("%s, swapped: %v", way, swapped), way == ways.Mark || way == ways.Driver)
			}
		}
	})
}

// removal is a resource, or a file without a kind, of which one side removed a field, and into which the other side wrote
// something.
type removal struct {
	origin, removed, changed map[string]any
	// at is the path of the removed field, and added the new scalar.
	at, added string
	// names says that the field is a map of names.
	names bool
}

func drawRemoval(t *rapid.T) removal {
	top := map[string]any{}
	if rapid.Bool().Draw(t, "kind") {
		kind := rapid.SampledFrom([][2]string{{"example.com/v1", "Thing"}, {"helm.toolkit.fluxcd.io/v2", "HelmRelease"}, {"argoproj.io/v1alpha1", "Application"}}).Draw(t, "kind")
		top = map[string]any{"apiVersion": kind[0], "kind": kind[1], "metadata": map[string]any{"name": "x"}}
	}
	field := rapid.SampledFrom([]string{"chart", "source", "conversion", "url", "image", "limits"}).Draw(t, "field")
	d := removal{at: "spec." + field, added: "new", names: rapid.IntRange(0, 3).Draw(t, "names") == 0}
	value := func() any { return drawMap(t, 2) }
	if d.names {
		field = rapid.SampledFrom([]string{"labels", "podAnnotations", "nodeSelector", "matchLabels"}).Draw(t, "field")
		d.at = "spec." + field
		value = func() any { return map[string]any{"app": "a", "tier": "b"} }
	}
	was := value()
	top["spec"] = map[string]any{"before": "1", field: was, "last": "2"}
	d.origin = top
	d.removed, d.changed = clone(top).(map[string]any), clone(top).(map[string]any)
	spec := d.removed["spec"].(map[string]any)
	if delete(spec, field); rapid.Bool().Draw(t, "replaced") && !d.names {
		spec[field+"Ref"] = map[string]any{"name": "another"}
	}
	inside := d.changed["spec"].(map[string]any)[field].(map[string]any)
	if !d.names {
		inside = drawInside(t, inside)
	}
	inside["added"] = d.added
	return d
}

// drawMap draws a map with scalars, maps, and lists of maps that have a name.
func drawMap(t *rapid.T, depth int) map[string]any {
	out := map[string]any{"name": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"one", "two", "three", "four"}), 1, 3, rapid.ID).Draw(t, "keys") {
		switch {
		case depth == 0 || rapid.Bool().Draw(t, "scalar"):
			out[key] = rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "value")
		case rapid.Bool().Draw(t, "list"):
			out[key] = []any{map[string]any{"name": "first", "size": "1"}, map[string]any{"name": "second", "size": "2"}}
		default:
			out[key] = drawMap(t, depth-1)
		}
	}
	return out
}

// drawInside draws a map at or below another one: of a list it is an element, or a new one.
func drawInside(t *rapid.T, m map[string]any) map[string]any {
	for _, key := range sortedKeys(m) {
		if rapid.Bool().Draw(t, "here") {
			continue
		}
		switch v := m[key].(type) {
		case map[string]any:
			return drawInside(t, v)
		case []any:
			if rapid.Bool().Draw(t, "element") {
				return v[0].(map[string]any)
			}
			m[key] = append(v, map[string]any{"name": "third"})
			return m[key].([]any)[2].(map[string]any)
		}
	}
	return m
}

func sortedKeys(m map[string]any) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, field := range v {
			out[key] = clone(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

// file is a resource in a file, or Helm's values.
func (d removal) file(t *rapid.T, resource map[string]any) map[string]string {
	text, err := yaml.Marshal(resource)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"values.yaml": string(text)}
}

// check checks that a merge names the collision, or has the addition to a map of names.
func (d removal) check(t *rapid.T, m ways.Merged, way string, marks bool) {
	var named []string
	for _, told := range m.Told {
		if told.Conflict == "upstream-deleted" || told.Conflict == "local-deleted" {
			named = append(named, told.Path)
		}
	}
	isNamed := slices.ContainsFunc(named, func(path string) bool { return strings.HasPrefix(path, d.at) })
	if marks {
		isNamed = m.Conflicts > 0
	}
	text := m.Result["values.yaml"]
	if isNamed == d.names || d.names && !strings.Contains(text, "added: new") {
		t.Fatalf("%s: %s is named: %v, at %v, %d conflicts\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s",
			way, d.at, isNamed, named, m.Conflicts, m.Origin["values.yaml"], m.Upstream["values.yaml"], m.Local["values.yaml"], text)
	}
}
