package wording_test

import (
	"testing"

	"github.com/resource-merge/resource-merge/internal/wording"
)

func TestNearest(t *testing.T) {
	words := []string{"merge", "update", "apply", "conflicts", "Deployment"}
	for mistyped, want := range map[string]string{
		"mrege": "merge", "merg": "merge", "Merge": "merge", "updaet": "update", "conflict": "conflicts", "Deploymnt": "Deployment",
		"x": "", "banana": "", "": "", "apply": "",
	} {
		if got := wording.Nearest(mistyped, words); got != want {
			t.Errorf("%q: %q, want %q", mistyped, got, want)
		}
	}
}
