// Package krmfunction is the KRM function: it reads a ResourceList, finds the
// three sides in it, has them merged, and writes the merged list (design 1).
package krmfunction

import (
	"bytes"
	"errors"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/config"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// Run merges the ResourceList in. out is a valid ResourceList whatever happens:
// with an error it is the input's items as they came (those that could be read,
// if it is no list) and the error among its results, because kpt takes an empty
// output for an order to delete every file.
//
// progress, which may be nil, is told how far a list of more than 1,000 resources
// is. A panic that nobody thought of is an error like any other.
func Run(in []byte, progress Progress) (out []byte, err error) {
	texts, err := Texts(in, progress)
	return bytes.Join(texts, nil), err
}

// Texts is Run with the output in pieces: those of resources that stay as they
// are are parts of in, and take no memory of their own (design 9).
func Texts(in []byte, progress Progress) (out [][]byte, err error) {
	panicked := parallel.Guard(func() error {
		out, err = mergeList(in, progress)
		return nil
	})
	if panicked == nil {
		return out, err
	}
	if parallel.Guard(func() error { out, err = unwritten(in, panicked); return nil }) != nil {
		return failed(resourcelist.Empty(), nil, panicked)
	}
	return out, err
}

// mergeList is Run without a net.
func mergeList(in []byte, progress Progress) (out [][]byte, err error) {
	list, err := resourcelist.Read(in)
	if err != nil {
		return failed(list, nil, err)
	}
	progress = progress.ofList(len(list.Items))
	items, results, err := run(list, progress)
	if err != nil {
		return failed(list, results, err)
	}
	progress("writing", 0, len(items))
	list.Items = nil // what is not in the result needs no memory any more
	if out, err = list.Texts(items, results); err != nil {
		return unwritten(in, err)
	}
	return out, nil
}

// unwritten is the output for a result that cannot be written exactly: the input
// is read once more.
func unwritten(in []byte, cause error) ([][]byte, error) {
	list, err := resourcelist.Read(in)
	if err != nil {
		cause = err
	}
	return failed(list, nil, cause)
}

// Unread is Run's output for a list that could not be read at all.
func Unread(cause error) (out [][]byte, err error) { return failed(resourcelist.Empty(), nil, cause) }

// failed is the output for a run that merged nothing: with results if it has
// any, else with the error as the only one.
func failed(list *resourcelist.List, results framework.Results, cause error) ([][]byte, error) {
	if results == nil {
		results = framework.Results{{Message: cause.Error(), Severity: framework.Error}}
	}
	if out, err := list.Texts(list.Items, results); err == nil {
		return out, cause
	}
	out, err := resourcelist.Empty().Texts(nil, results)
	if err != nil {
		return nil, fmt.Errorf("%w (and the failure could not be written: %w)", cause, err)
	}
	return out, cause
}

// run merges a list. An error comes with results where the merge itself was
// done, and only its conflicts fail the run.
func run(list *resourcelist.List, progress Progress) ([]*resourcelist.Item, framework.Results, error) {
	settings, err := config.Read(list.FunctionConfig())
	if err != nil {
		return nil, nil, fmt.Errorf("functionConfig: %w", err)
	}
	progress("reading", 0, len(list.Items))
	items, err := readItems(list.Items)
	if err != nil {
		return nil, nil, err
	}
	s, err := splitSides(list, items, settings.Sources)
	if err != nil {
		return nil, nil, err
	}
	write := merged
	if settings.Output == config.OutputOverlay {
		write = overlaid
	}
	out, results, err := write(list, s, settings, progress)
	if settings.TextValues {
		report.ValuesAsText(results)
	}
	if skipped := (*pkgmerge.SkippedFileError)(nil); errors.As(err, &skipped) {
		err = fmt.Errorf("functionConfig: %w", err)
	}
	return out, results, err
}
