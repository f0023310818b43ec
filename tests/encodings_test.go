package tests

import (
	"maps"
	"slices"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/internal/manifest"
)

// TestEncodings counts, over all cases, the resources that the encoder wrote in part or
// whole because no text has them (rules/comments-and-text: encoded fields), and logs the
// counts: docs/testing.md says how to count them in real packages. If more than one
// resource in a hundred is encoded whole, the text layer gives up too often.
func TestEncodings(t *testing.T) {
	items, within, whole := 0, 0, 0
	reasons := map[string]int{}
	for _, c := range cases(t) {
		told, err := command.Encodings(inputOf(t, c))
		if err != nil {
			continue // a case of bad input
		}
		for _, item := range told {
			items++
			switch isWhole := func(e manifest.Encoding) bool { return e.What == "resource" }; {
			case slices.ContainsFunc(item, isWhole):
				whole++
				t.Logf("%s: %v", c.Name, item)
			case len(item) > 0:
				within++
			}
			for _, e := range item {
				reasons[e.What+" | "+e.Why]++
			}
		}
	}
	t.Logf("%d resources, %d with an encoded field, %d encoded whole", items, within, whole)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("| %s | %d |", reason, reasons[reason])
	}
	if 100*whole > items {
		t.Errorf("%d of %d resources are encoded whole", whole, items)
	}
}
