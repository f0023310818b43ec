package krmfunction

import (
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/report"
)

// warning is a result about the function config or a directory.
func warning(text string) *framework.Result {
	return &framework.Result{Severity: framework.Warning, Message: wording.Cut(text, report.MaxMessage)}
}
