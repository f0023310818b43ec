package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Ledger is what the fork costs (design 19): a table in Markdown of what of local
// still differs from upstream after the merge. It says nothing of the merge itself, so
// that it can be committed and compared from release to release.
type Ledger struct{}

// Name is ledger.
func (Ledger) Name() string { return "ledger" }

// Write writes the table.
func (Ledger) Write(w io.Writer, r *Report) error {
	drift, err := r.Drift()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# What differs from upstream\n\n%s in %s.\n", wording.Plural(len(drift), "difference"), wording.Plural(resourcesOf(drift), "resource"))
	if len(drift) > 0 {
		fmt.Fprint(b, "\n| File | Resource | Field | Upstream | Local |\n|---|---|---|---|---|\n")
	}
	for _, d := range drift {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code(d.File), code(d.Resource), ledgerField(d), ledgerValue(d, d.Upstream), ledgerValue(d, d.Local))
	}
	return b.Flush()
}

// resourcesOf counts the resources of sorted drift.
func resourcesOf(drift []Drift) int {
	count := 0
	for i, d := range drift {
		if i == 0 || d.File != drift[i-1].File || d.Resource != drift[i-1].Resource {
			count++
		}
	}
	return count
}

func ledgerField(d Drift) string {
	if d.Path == "" {
		return "*the whole*"
	}
	return code(d.Path)
}

// ledgerValue is a side's value; of a whole resource only that it is there.
func ledgerValue(d Drift, value string) string {
	switch {
	case value == "":
		return "*absent*"
	case d.Path == "":
		return "*present*"
	case value == hidden:
		return "*hidden*"
	}
	return code(value)
}
