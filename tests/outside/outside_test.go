// Package outside uses the library as a program of somebody else does: from
// another module, and with the public packages alone.
package outside

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
)

// ownScale keeps local's number of replicas, and takes upstream's version
// everywhere else.
type ownScale struct{}

func (ownScale) For(*pkgmerge.Match) merge.Policy {
	return func(at *merge.Path) merge.Preference {
		if at.String() == "spec.replicas" {
			return merge.PreferLocal
		}
		return merge.PreferUpstream
	}
}

// The merged package has what both sides did, no bookkeeping annotation, no
// conflict about what one side alone changed, and no Secret's value in a message.
func TestMergeDirectories(t *testing.T) {
	ctx := context.Background()
	packages, err := source.Three(ctx, source.Dir("shop/origin"), source.Dir("shop/upstream"), source.Dir("shop/local"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{Policy: ownScale{}})
	if err != nil {
		t.Fatal(err)
	}
	var conflicts []string
	for _, change := range result.Changes {
		for _, c := range change.Conflicts {
			conflicts = append(conflicts, change.ID.Kind+" "+c.Path.String()+" "+c.Chosen.String())
		}
	}
	const container = `Deployment spec.template.spec.containers[name="web"]`
	want := []string{"Deployment spec.replicas local", container + ".livenessProbe.periodSeconds upstream", "Secret stringData.token upstream"}
	if !slices.Equal(conflicts, want) {
		t.Errorf("conflicts %q, want %q", conflicts, want)
	}
	messages, err := report.Results(result, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		for _, secret := range []string{"first-1f3a", "second-7c21", "third-9be4"} {
			if text := fmt.Sprintf("%s %+v %v", m.Message, m.Field, m.Tags); strings.Contains(text, secret) {
				t.Errorf("a message has the Secret's value: %s", text)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "merged")
	if err := (sink.Dir(dir)).Write(ctx, result); err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		if strings.Contains(string(text), "annotations") {
			t.Errorf("%s has annotations that nobody wrote:\n%s", path, text)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
