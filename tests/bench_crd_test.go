package tests

import (
	"fmt"
	"testing"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/tests/bench"
)

// TestUnchangedCRDsAreNotParsed counts the allocations that twice as many CRDs take,
// if nobody changed them: a schema has thousands of nodes.
func TestUnchangedCRDsAreNotParsed(t *testing.T) {
	for _, shape := range []string{"versions", "kinds", "deep"} {
		small, large := crdList(t, shape, 5), crdList(t, shape, 10)
		items := resourcesIn(t, large) - resourcesIn(t, small)
		if each := 3 * (allocations(t, large) - allocations(t, small)) / float64(items); each > 3*maxAllocations {
			t.Errorf("%s: %.0f allocations for each CRD, want at most %d", shape, each, 3*maxAllocations)
		}
	}
}

// TestCRDsArePlain finds out that the parser is asked for none of the text.
func TestCRDsArePlain(t *testing.T) {
	for _, shape := range []string{"versions", "kinds", "deep"} {
		list, err := resourcelist.Read(crdList(t, shape, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			if s := manifest.SkimItem(item.Text(), 0); s == nil || s.Outline("") == nil {
				t.Errorf("%s: the CRD in line %d is not plain", shape, item.Line)
			}
		}
	}
}

func crdList(t *testing.T, shape string, n int) []byte {
	t.Helper()
	in, err := bench.Make(fmt.Sprint(shape, "-none"), n)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func resourcesIn(t *testing.T, in []byte) int {
	t.Helper()
	list, err := resourcelist.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}
