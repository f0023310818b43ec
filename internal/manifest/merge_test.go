package manifest_test

import (
	"bytes"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// TestMerges: local's text with edits can express the merge's decisions in the cases of testdata, and reads as the
// decided values.
func TestMerges(t *testing.T) {
	cases, err := caselist.Read("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	known := schema.New(nil, nil, true)
	edited, checked := 0, 0
	for _, c := range cases {
		sides := [3]map[string]*manifest.Text{}
		for side, name := range []string{"origin.yaml", "upstream.yaml", "local.yaml"} {
			sides[side] = documents(c.Files[name])
		}
		for id, l := range sides[identity.Local] {
			o, u := sides[identity.Origin][id], sides[identity.Upstream][id]
			if o == nil || u == nil {
				continue
			}
			kind := func(n *yaml.Node) (apiVersion, kind string) {
				return merge.ResultKind([3]*yaml.Node{n, n, n})
			}
			apiVersion, name := kind(l.Root())
			out, err := merge.Resource([3]*yaml.Node{o.Root(), u.Root(), l.Root()}, known.Resource(identity.Group(apiVersion), identity.Version(apiVersion), name), merge.Prefer(merge.PreferUnion))
			if err != nil || out.Node == nil || out.Node == l.Root() || out.Part.Value == nil {
				continue
			}
			part := out.Part
			text, _, err := manifest.Edit(l, u, part)
			if err != nil {
				t.Errorf("%s: %s: %v", c.Name, id, err)
				continue
			}
			wrong, again := manifest.CheckEdit(l, u, part, text)
			if wrong != "" {
				t.Errorf("%s: %s: %s\n%s\n--- upstream\n%s\n--- result\n%s", c.Name, id, wrong, l.Bytes(), u.Bytes(), text)
			}
			edited++
			if again {
				checked++
			}
			gone, come := manifest.Diff(l.Bytes(), text)
			t.Logf("%s %s: %d gone, %d come", c.Name, id, gone, come)
		}
	}
	t.Logf("%d edited, %d of them read again", edited, checked)
}

// documents reads the resources of a stream by kind and name.
func documents(data []byte) map[string]*manifest.Text {
	all := map[string]*manifest.Text{}
	for _, doc := range bytes.Split(data, []byte("---\n")) {
		if t, err := manifest.Document(doc); err == nil {
			var head struct {
				Kind     string
				Metadata struct{ Name string }
			}
			if t.Root().Decode(&head) == nil {
				all[head.Kind+" "+head.Metadata.Name] = t
			}
		}
	}
	return all
}
