package report_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// checkLedger finds a row that has more or fewer than five cells, and what
// checkMarkdown finds.
func checkLedger(t fatal, text string) {
	checkMarkdown(t, text)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 6 {
			t.Fatalf("a row has other cells: %s", line)
		}
	}
}

// TestLedgerOfUpstream has nothing in the ledger of a package that is upstream's.
func TestLedgerOfUpstream(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		c.packages[identity.Local] = c.packages[identity.Origin]
		r := merged(t, c)
		if r == nil || r.Summary.Conflicts > 0 {
			continue
		}
		text := written(t, format("ledger"), r)
		if !strings.Contains(text, "\n0 differences in 0 resources.\n") && !strings.Contains(c.Name, "inventory-template") { // that one is local's own
			t.Errorf("%s:\n%s", c.Name, text)
		}
	}
}

// TestLedgerIsStable has the same ledger for a package that was merged and merged again.
func TestLedgerIsStable(t *testing.T) {
	t.Parallel()
	packages := quickstart(t)
	first := ledgerOf(t, packages)
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := result.Files()
	if err != nil {
		t.Fatal(err)
	}
	if packages[identity.Local], err = pkgmerge.NewPackage(files); err != nil {
		t.Fatal(err)
	}
	if again := ledgerOf(t, packages); again != first {
		t.Errorf("merged again, it is\n%s, and was\n%s", again, first)
	}
	if !regexp.MustCompile("`spec.replicas` \\| `1` \\| `3`").MatchString(first) {
		t.Errorf("it is\n%s", first)
	}
}

func ledgerOf(t *testing.T, packages [3]pkgmerge.Package) string {
	return written(t, format("ledger"), reportOf(t, packages, pkgmerge.Options{}, report.Options{}))
}
