package function

import (
	"testing"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/merge"
)

// TestFinishNamesTheResource: a result that no text can be found for is an error
// that says which resource it is about.
func TestFinishNamesTheResource(t *testing.T) {
	list, err := resourcelist.Read([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n  data: b\n"))
	if err != nil {
		t.Fatal(err)
	}
	items, err := readItems(list.Items)
	if err != nil {
		t.Fatal(err)
	}
	version := triple{items: [3]*item{identity.Local: items[0]}}
	if err := version.parse(); err != nil {
		t.Fatal(err)
	}
	node := withField(version.nodes[identity.Local], "data", stringNode("\xff"))
	err = maker{list: list}.finish(newMerged(version, &merge.Outcome{Node: node}, ""))
	if want := "ConfigMap a (line 4): no text was found that YAML reads as what was meant"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
