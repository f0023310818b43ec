package resourcelist

import (
	"strings"
	"testing"
)

// TestSplitsLargeLists has a list of many items.
func TestSplitsLargeLists(t *testing.T) {
	text := head + "items:\n" + strings.Repeat("- a: b\n  c: d\n\n", 1<<15)
	list, ok := readSplit([]byte(text))
	if !ok || len(list.Items) != 1<<15 {
		t.Fatalf("split: %t", ok)
	}
	above := strings.Count(head, "\n") + 2
	for i, item := range list.Items {
		if item.Line != above+3*i {
			t.Fatalf("item %d is in line %d", i, item.Line)
		}
	}
}
