// Package krmfunction is the KRM function: it reads a ResourceList, finds the three
// sides in it, has them merged, and writes the merged list (rules/function: the function).
package krmfunction

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// Run merges the ResourceList in. out is a valid ResourceList whatever happens: with an error it is the input's items
// as they came (the readable ones, if it is no list) and the error among its results, because kpt takes an empty output
// for an order to delete every file.
//
// progress, which may be nil, is told how far a list of more than 1,000 resources is. A panic becomes an error.
func Run(in []byte, progress Progress) (out []byte, err error) {
	texts, err := Texts(in, progress)
	return bytes.Join(texts, nil), err
}

// Texts is Run with the output in pieces. The pieces of unchanged resources are parts of
// in, and take no memory of their own (rules/reading: skimming).
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
	list.Items = nil // items without a place in the result need no memory any more
	if out, err = list.Texts(items, anyOf(results)); err != nil {
		return unwritten(in, err)
	}
	return out, nil
}

// unwritten is the output for a result that cannot be written exactly: the input is read once more.
func unwritten(in []byte, cause error) ([][]byte, error) {
	list, err := resourcelist.Read(in)
	if err != nil {
		cause = err
	}
	return failed(list, nil, cause)
}

// Unread is Run's output for a list that could not be read at all.
func Unread(cause error) (out [][]byte, err error) { return failed(resourcelist.Empty(), nil, cause) }

// failed is the output for a run that nothing merged: with results if it has any, else with the error as the only one.
func failed(list *resourcelist.List, results []*report.Result, cause error) ([][]byte, error) {
	if results == nil {
		results = []*report.Result{{Message: cause.Error(), Severity: report.SeverityError}}
	}
	if out, err := list.Texts(list.Items, anyOf(results)); err == nil {
		return out, cause
	}
	out, err := resourcelist.Empty().Texts(nil, anyOf(results))
	if err != nil {
		return nil, fmt.Errorf("%w (and the failure could not be written: %w)", cause, err)
	}
	return out, cause
}

// anyOf returns results as a ResourceList takes them.
func anyOf(results []*report.Result) (out []any) {
	for _, r := range results {
		out = append(out, r)
	}
	return out
}

// run merges a list. An error comes with results where the merge itself was done, and only its conflicts fail the run.
func run(list *resourcelist.List, progress Progress) ([]*resourcelist.Item, []*report.Result, error) {
	settings, err := config.Read(list.FunctionConfig())
	if err != nil {
		return nil, nil, fmt.Errorf("functionConfig: %w", err)
	}
	progress("reading", 0, len(list.Items))
	s, err := readSides(list, settings.Sources)
	if err != nil {
		return nil, nil, err
	}
	write := merged
	if settings.Output == config.OutputOverlay {
		write = overlaid
	}
	out, results, err := write(list, s, settings, progress)
	if settings.TextValues {
		valuesAsText(results)
	}
	if skipped := (*pkgmerge.SkippedFileError)(nil); errors.As(err, &skipped) {
		err = fmt.Errorf("functionConfig: %w", err)
	}
	return out, results, err
}

// readSides reads the items of a list and splits them by their sides.
func readSides(list *resourcelist.List, sources config.Sources) (sides, error) {
	items, err := readItems(list.Items)
	if err != nil {
		return sides{}, err
	}
	return splitSides(list, items, sources)
}

// valuesAsText converts the values of results to strings: Porch rejects results with other values
// (rules/programs: porch).
func valuesAsText(results []*report.Result) {
	for _, r := range results {
		if r.Field == nil {
			continue
		}
		for _, value := range []*any{&r.Field.CurrentValue, &r.Field.ProposedValue} {
			if *value != nil {
				*value = fmt.Sprint(*value)
			}
		}
	}
}

// Progress is told the progress of a run: the number of resources done in a stage,
// and their total. Calls do not overlap.
type Progress func(stage string, done, total int)

// quietUpTo is the size of the largest list whose run nobody waits for.
const quietUpTo = 1000

// ofList is progress for a run over a list of n items, one that tells nothing where the list is small or progress nil.
func (p Progress) ofList(n int) Progress {
	if p == nil || n <= quietUpTo {
		return func(string, int, int) {}
	}
	return p
}

// warning is a result about the function config or a directory.
func warning(text string) *report.Result {
	return &report.Result{Severity: report.SeverityWarning, Message: wording.Cut(text, wording.MaxMessage)}
}

// idle are warnings of entries of the function config that were about nothing.
func idle(texts []string) []*report.Result {
	var out []*report.Result
	for _, text := range texts {
		out = append(out, warning("functionConfig: "+text))
	}
	return out
}

// Encoded merges a list as Run does, and tells for each item of the result the parts that
// the encoder wrote, as no text has them (rules/comments-and-text: encoded fields).
func Encoded(in []byte) ([][]manifest.Encoding, error) {
	list, err := resourcelist.Read(in)
	if err != nil {
		return nil, err
	}
	items, _, err := run(list, Progress(nil).ofList(len(list.Items)))
	if err != nil {
		return nil, err
	}
	told := make([][]manifest.Encoding, len(items))
	for i, item := range items {
		told[i] = item.Encodings()
	}
	return told, nil
}

// merged merges the sides and returns the items of the merged package, or patches
// (rules/patches: the output patches), and the results.
func merged(list *resourcelist.List, s sides, settings config.Settings, progress Progress) ([]*resourcelist.Item, []*report.Result, error) {
	result, err := s.merge(settings, progress)
	if err != nil {
		return nil, nil, err
	}
	o, first := newOutput(list, s, settings.Keeps(), result), idle(settings.Idle(result))
	write, unsaid, err := o.writer(settings)
	if err != nil {
		return nil, nil, err
	}
	results, err := report.Results(result, append(first, unsaid...))
	if err != nil {
		return nil, results, err
	}
	out, err := write()
	if err != nil {
		return nil, nil, err
	}
	return out, results, nil
}

// merge merges the sides as the settings say.
func (s sides) merge(settings config.Settings, progress Progress) (*pkgmerge.Result, error) {
	packages := s.packages()
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return nil, err
	}
	if err := s.checkPresent(settings.Sources, options.Strategy); err != nil {
		return nil, err
	}
	options.Progress = progress
	return pkgmerge.Merge(context.Background(), packages, options)
}

// writer returns the function that writes the merged items or the patches, and results about what patches do not say.
func (o output) writer(settings config.Settings) (write func() ([]*resourcelist.Item, error), unsaid []*report.Result, err error) {
	if settings.Output != config.OutputPatches {
		return o.items, nil, nil
	}
	unsaid, err = o.unpatched(settings.Patches)
	return func() ([]*resourcelist.Item, error) { return o.patches(settings.Patches) }, unsaid, err
}
