package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestMerges: what the merge decides in the cases of testdata can be written as
// local's text with edits, and reads as it was decided.
func TestMerges(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*/local.yaml")
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	known := schema.New(nil, nil, true)
	edited, checked := 0, 0
	for _, file := range files {
		sides := [3]map[string]*Text{}
		for side, name := range []string{"origin.yaml", "upstream.yaml", "local.yaml"} {
			sides[side] = documents(filepath.Join(filepath.Dir(file), name))
		}
		for id, l := range sides[identity.Local] {
			o, u := sides[identity.Origin][id], sides[identity.Upstream][id]
			if o == nil || u == nil {
				continue
			}
			kind := func(n *yaml.Node) (apiVersion, kind string) {
				return merge.ResultKind([3]*yaml.Node{n, n, n})
			}
			apiVersion, name := kind(l.root)
			out, err := merge.Resource([3]*yaml.Node{o.root, u.root, l.root}, known.Resource(identity.Group(apiVersion), identity.Version(apiVersion), name), merge.Prefer(merge.PreferUnion))
			if err != nil || out.Node == nil || out.Node == l.root || out.Part.Value == nil {
				continue
			}
			part := out.Part
			text, err := Edit(l, u, part)
			if err != nil {
				t.Errorf("%s: %s: %v", file, id, err)
				continue
			}
			e := editor{text: l, left: floats(l.top, l.bytes)}
			if f := e.check(text, &part); !f.right {
				t.Errorf("%s: %s: %+v\n%s\n--- upstream\n%s\n--- result\n%s", file, id, f, l.bytes, u.bytes, text)
			}
			edited++
			if first := (&editor{base: parts.Local, text: l, other: u}); len(l.top.entries) > 0 {
				if first.run(&part); first.doubt {
					checked++
				}
			}
			gone, come := diff(l.bytes, text)
			t.Logf("%s %s: %d gone, %d come", filepath.Base(filepath.Dir(file)), id, gone, come)
		}
	}
	t.Logf("%d edited, %d of them read again", edited, checked)
}

// documents reads the resources of a file by kind and name.
func documents(file string) map[string]*Text {
	data, _ := os.ReadFile(file)
	all := map[string]*Text{}
	for _, doc := range bytes.Split(data, []byte("---\n")) {
		if t, err := Document(doc); err == nil {
			var head struct {
				Kind     string
				Metadata struct{ Name string }
			}
			if t.root.Decode(&head) == nil {
				all[head.Kind+" "+head.Metadata.Name] = t
			}
		}
	}
	return all
}
