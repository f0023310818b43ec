package kpt

import (
	"fmt"
	"io"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// Print is a Report for a terminal: it writes a line for each conflict, as kpt writes
// the results of functions. What Secrets hold is hidden.
func Print(to io.Writer) func(Options, *pkgmerge.Result) error {
	return func(_ Options, result *pkgmerge.Result) error {
		all, err := report.New(result, report.Options{})
		if err != nil {
			return err
		}
		for _, r := range all.Resources {
			for _, c := range r.Conflicts {
				if _, err := fmt.Fprintf(to, "[%s] %s\n", c.Severity, c.Message); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
