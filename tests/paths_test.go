package tests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestPathsAgree runs every case on input that is split, and skimmed where it is plain,
// and on the same input with an end marker, which is for the full parser: whatever the
// path, the result is the same (rules/reading: guards of a list).
func TestPathsAgree(t *testing.T) {
	for i, c := range cases(t) {
		if i%seed.Step(4) != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			in := inputOf(t, c)
			if len(in) == 0 || strings.HasSuffix(c.Name, "/below-the-list") {
				t.Skip("an end marker says something else there")
			}
			fast, fastErr := command.Function(in)
			whole, wholeErr := command.Function(append(bytes.TrimRight(in, "\n"), "\n...\n"...))
			if fmt.Sprint(fastErr) != fmt.Sprint(wholeErr) {
				t.Errorf("error %v on the fast path, %v on the other", fastErr, wholeErr)
			}
			if isBracketed(fast) { // a list in brackets comes out with its end marker
				whole, fast = bytes.TrimSuffix(whole, []byte("\n...\n")), bytes.TrimRight(fast, "\n")
			}
			if diff := cmp.Diff(string(whole), string(fast)); diff != "" {
				t.Errorf("(-whole +fast)\n%s", diff)
			}
		})
	}
}
