package pkgmerge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/source"
)

func shop(t *testing.T) [3]pkgmerge.Package {
	t.Helper()
	const dir = "../tests/outside/shop/"
	packages, err := source.Three(context.Background(), source.Dir(dir+"origin"), source.Dir(dir+"upstream"), source.Dir(dir+"local"))
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// Several merges of the same packages may run at once, and alter none of them.
func TestMergesAtOnce(t *testing.T) {
	packages := shop(t)
	before := texts(t, packages)
	var group sync.WaitGroup
	results := make([]*pkgmerge.Result, 4)
	for i := range results {
		group.Go(func() {
			var err error
			if results[i], err = pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{}); err != nil {
				t.Error(err)
				return
			}
			if _, err := report.New(results[i], report.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	want := texts(t, [3]pkgmerge.Package{results[0].Package()})
	for _, r := range results[1:] {
		if got := texts(t, [3]pkgmerge.Package{r.Package()}); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if after := texts(t, packages); !slices.Equal(after, before) {
		t.Errorf("the packages were altered: %q, were %q", after, before)
	}
}

func texts(t *testing.T, packages [3]pkgmerge.Package) []string {
	t.Helper()
	var out []string
	for _, p := range packages {
		for _, r := range p.Resources {
			text, err := r.YAML()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%s %d\n%s", r.File, r.Index, text))
		}
	}
	return out
}

// A context that is cancelled stops a merge.
func TestMergeStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if result, err := pkgmerge.Merge(ctx, shop(t), pkgmerge.Options{}); !errors.Is(err, context.Canceled) || result != nil {
		t.Errorf("got %v and %v, want %v", result, err, context.Canceled)
	}
}
