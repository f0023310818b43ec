package krmfunction

import (
	"context"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/config"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// merged is what comes out of a merge, as its package or as patches (design 16), and its
// results.
func merged(list *resourcelist.List, s sides, settings config.Settings, progress Progress) ([]*resourcelist.Item, framework.Results, error) {
	packages := s.packages()
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkPresent(settings.Sources, options.Strategy); err != nil {
		return nil, nil, err
	}
	options.Progress = progress
	result, err := pkgmerge.Merge(context.Background(), packages, options)
	if err != nil {
		return nil, nil, err
	}
	o, first := newOutput(list, s, settings.Keeps(), result), idle(settings.Idle(result))
	write := o.items
	if settings.Output == config.OutputPatches {
		unsaid, err := o.unsaid(settings.Patches)
		if err != nil {
			return nil, nil, err
		}
		first = append(first, unsaid...)
		write = func() ([]*resourcelist.Item, error) { return o.patches(settings.Patches) }
	}
	results, err := report.Results(result, first)
	if err != nil {
		return nil, results, err
	}
	out, err := write()
	if err != nil {
		return nil, nil, err
	}
	return out, results, nil
}
