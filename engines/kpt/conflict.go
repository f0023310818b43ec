package kpt

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// ConflictError is the error of an update whose Policy says that a conflict is to fail
// it. Nothing was written.
type ConflictError struct {
	// Package is the directory of the user's copy.
	Package string
	// Conflicts say, a sentence each, which resource and field it is, and what both
	// sides did. What Secrets hold is hidden.
	Conflicts []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("package %q has conflicts that are to fail the update: %s", e.Package, strings.Join(e.Conflicts, "; "))
}

// failing is the error of the conflicts that are to fail the update, nil if there are
// none.
func failing(local string, result *pkgmerge.Result) error {
	if result.FirstFailing() == "" {
		return nil
	}
	all, err := report.New(result, report.Options{})
	if err != nil {
		return err
	}
	failed := &ConflictError{Package: local}
	for _, r := range all.Resources {
		for _, c := range r.Conflicts {
			if c.Severity == "error" {
				failed.Conflicts = append(failed.Conflicts, c.Message)
			}
		}
	}
	return failed
}
