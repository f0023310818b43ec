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

// idle are warnings of entries of the function config that were about nothing.
func idle(texts []string) framework.Results {
	var out framework.Results
	for _, text := range texts {
		out = append(out, warning("functionConfig: "+text))
	}
	return out
}
