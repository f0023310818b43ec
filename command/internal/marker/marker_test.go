package marker_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// side merges one document, takes one side of each collision, and returns the paths of the
// collisions too.
func side(t fataler, texts [3]string, prefer merge.Preference) ([]byte, []*merge.Path) {
	t.Helper()
	var documents [3]*manifest.Text
	var roots [3]*yaml.Node
	for s, text := range texts {
		if text == "" {
			continue
		}
		d, err := manifest.Document([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		documents[s], roots[s] = d, d.Root()
	}
	meta := identity.ReadMeta(roots[identity.Local])
	kind := schema.New(nil, nil, true).Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
	out, err := merge.Resource(roots, kind, merge.Prefer(prefer))
	if err != nil {
		t.Fatal(err)
	}
	var paths []*merge.Path
	for _, c := range out.Conflicts {
		paths = append(paths, c.Path)
	}
	switch out.Verdict {
	case merge.Drop:
		return nil, paths
	case merge.TakeLocal:
		return []byte(texts[identity.Local]), paths
	case merge.TakeUpstream:
		out.Part = parts.Part{Value: out.Node, From: parts.Upstream, Local: parts.Entry{Value: roots[identity.Local]}, Upstream: parts.Entry{Value: roots[identity.Upstream]}}
	}
	edited, _, err := manifest.Edit(documents[identity.Local], documents[identity.Upstream], out.Part)
	if err != nil {
		t.Fatal(err)
	}
	return edited, paths
}

// marked merges one document into pieces.
func marked(t fataler, texts [3]string) marker.Pieces {
	t.Helper()
	ours, paths := side(t, texts, merge.MarkLocal)
	theirs, more := side(t, texts, merge.MarkUpstream)
	all := marker.Resource{Lines: [3]int{1, 1, 1}, Collisions: append(paths, more...)}
	files := [3]*stream.Stream{marker.Ours: stream.Read(ours), marker.Base: stream.Read([]byte(texts[identity.Origin])), marker.Theirs: stream.Read(theirs)}
	pieces, err := marker.Files(files, []marker.Resource{all}, true)
	if err != nil {
		t.Fatal(err)
	}
	withoutBase, err := marker.Files(files, []marker.Resource{all}, false)
	if got, want := (marker.Format{}).Render(withoutBase), (marker.Format{}).Render(pieces); err != nil || string(got) != string(want) {
		t.Fatal("without the lines of the base:", err, string(got), string(want))
	}
	return pieces
}

// TestCases: each directory of testdata has three versions of a document, and the result with
// markers.
func TestCases(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var texts [3]string
			for s, name := range [3]string{identity.Origin: "base.yaml", identity.Upstream: "theirs.yaml", identity.Local: "ours.yaml"} {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				texts[s] = string(text)
			}
			format := marker.Format{Style: marker.Diff3, Labels: [3]string{marker.Ours: "ours", marker.Base: "base", marker.Theirs: "theirs"}}
			got := format.Render(marked(t, texts))
			file := filepath.Join(dir, "expected.txt")
			if os.Getenv("UPDATE_MARKERS") != "" {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fataler is a test, or a draw of one.
type fataler interface {
	Helper()
	Fatal(...any)
}
