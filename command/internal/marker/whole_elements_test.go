package marker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// TestKnownElement: an element that base has, and whose end is in a conflict with the next element, is whole in it, unless it is long.
func TestKnownElement(t *testing.T) {
	for size, want := range map[int]int{10: 2 * (2 + 11), 100: 2 * 2} {
		var above strings.Builder
		above.WriteString("list:\n- name: a\n")
		for i := range size {
			fmt.Fprintf(&above, "  x%d: 1\n", i)
		}
		pieces := marker.Pieces{{Same: []byte(above.String())}, {Conflict: true, Sides: [3][]byte{
			marker.Ours: []byte("  y: 1\n- name: b\n"), marker.Theirs: []byte("  y: 2\n- name: c\n"),
		}}}
		if _, marked := pieces.WithWholeElements([]byte(above.String()), func(int) bool { return true }).Conflicts(); marked != want {
			t.Errorf("%d lines are marked beside an element of %d fields, want %d", marked, size, want)
		}
	}
}
