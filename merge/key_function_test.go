package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestPipeline merges pipelines of Kptfiles, given as their mutators.
func TestPipeline(t *testing.T) {
	tests := []struct{ name, origin, upstream, local, want string }{
		{
			"by image, whatever the tag",
			"[{image: a/f:v1}]", "[{image: a/f:v2}]", "[{image: a/f:v1, configMap: {k: v}}]",
			"[{image: a/f:v2, configMap: {k: v}}]",
		}, {
			"a registry with a port is no tag",
			"[{image: h:5000/f}, {image: h:5000/g}]", "[{image: h:5000/f:v2}, {image: h:5000/g@sha256:00}]", "[{image: h:5000/f}, {image: h:5000/g}]",
			"[{image: h:5000/f:v2}, {image: h:5000/g@sha256:00}]",
		}, {
			"by name where an image runs twice",
			"[{name: x, image: f:v1}, {name: y, image: f:v1}]", "[{name: y, image: f:v2}, {name: x, image: f:v1}]",
			"[{name: x, image: f:v1, configMap: {k: v}}, {name: y, image: f:v1}]",
			"[{name: y, image: f:v2}, {name: x, image: f:v1, configMap: {k: v}}]",
		}, {
			"a name on one side only",
			"[{image: f:v1}]", "[{image: f:v2, name: x}]", "[{image: f:v1, configMap: {k: v}}]",
			"[{image: f:v2, name: x, configMap: {k: v}}]",
		}, {
			"one image twice: equal content first",
			"[{image: f, configMap: {a: b}}, {image: f, configMap: {c: d}}]",
			"[{image: f, configMap: {c: d}}]",
			"[{image: f, configMap: {a: b}}, {image: f, configMap: {c: d}}]",
			"[{image: f, configMap: {c: d}}]",
		}, {
			"one image twice: the rest in order",
			"[{image: f:v1, configMap: {a: b}}, {image: f:v1, configMap: {c: d}}]",
			"[{image: f:v2, configMap: {a: b}}, {image: f:v2, configMap: {c: d}}]",
			"[{image: f:v1, configMap: {a: x}}, {image: f:v1, configMap: {c: d}}]",
			"[{image: f:v2, configMap: {a: x}}, {image: f:v2, configMap: {c: d}}]",
		}, {
			"a local function stays in place",
			"[{image: f}, {image: g}]", "[{image: f}, {image: new}, {image: g}]", "[{image: f}, {exec: ./mine}, {image: g}]",
			"[{image: f}, {image: new}, {exec: ./mine}, {image: g}]",
		}, {
			"other names are other functions",
			"[]", "[{name: x, image: f}]", "[{name: y, image: f}]",
			"[{name: x, image: f}, {name: y, image: f}]",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := func(mutators string) string {
				return "apiVersion: kpt.dev/v1\nkind: Kptfile\npipeline: {mutators: " + mutators + "}\n"
			}
			kind := schema.New(nil, nil, true).Resource("kpt.dev", "v1", "Kptfile")
			out, err := Resource([3]*yaml.Node{parse(t, file(tt.origin)), parse(t, file(tt.upstream)), parse(t, file(tt.local))}, kind, Prefer(PreferUpstream))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text(t, parse(t, file(tt.want))), text(t, out.Node)); diff != "" {
				t.Error(diff)
			}
			if len(out.Conflicts) > 0 {
				t.Errorf("conflict at %s", out.Conflicts[0].Path)
			}
		})
	}
}
