// Package function is the KRM function: it reads a ResourceList, finds the
// three sides in it, has them merged, and writes the merged list (DESIGN 1).
package function

import (
	"bytes"
	"fmt"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Run merges the ResourceList in. out is a valid ResourceList whatever happens:
// with an error it is the input's items as they came (those that could be read,
// if it is no list) and the error among its results, because kpt takes an empty
// output for an order to delete every file.
func Run(in []byte) (out []byte, err error) { return RunWithProgress(in, nil) }

// RunWithProgress is Run that says how far it is, once it knows that the list
// has more than 1,000 resources. A panic that nobody thought of is an error like
// any other.
func RunWithProgress(in []byte, progress Progress) (out []byte, err error) {
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
func mergeList(in []byte, progress Progress) (out []byte, err error) {
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
	var b bytes.Buffer
	b.Grow(len(in) / 2)
	if err := list.Write(&b, items, results); err != nil {
		return unwritten(in, err)
	}
	return b.Bytes(), nil
}

// unwritten is the output for a result that cannot be written exactly: the input
// is read once more.
func unwritten(in []byte, cause error) ([]byte, error) {
	list, err := resourcelist.Read(in)
	if err != nil {
		cause = err
	}
	return failed(list, nil, cause)
}

// Unread is Run's output for a list that could not be read at all.
func Unread(cause error) (out []byte, err error) { return failed(resourcelist.Empty(), nil, cause) }

// failed is the output for a run that merged nothing: with results if it has
// any, else with the error as the only one.
func failed(list *resourcelist.List, results framework.Results, cause error) ([]byte, error) {
	if results == nil {
		results = framework.Results{{Message: cause.Error(), Severity: framework.Error}}
	}
	var b bytes.Buffer
	if err := list.Write(&b, list.Items, results); err == nil {
		return b.Bytes(), cause
	}
	b.Reset()
	if err := resourcelist.Empty().Write(&b, nil, results); err != nil {
		return nil, fmt.Errorf("%w (and the failure could not be written: %w)", cause, err)
	}
	return b.Bytes(), cause
}

// run merges a list. An error comes with results where the merge itself was
// done, and only its conflicts fail the run.
func run(list *resourcelist.List, progress Progress) ([]*resourcelist.Item, framework.Results, error) {
	config, err := ReadConfig(list.FunctionConfig())
	if err != nil {
		return nil, nil, err
	}
	progress("reading", 0, len(list.Items))
	items, err := readItems(list.Items)
	if err != nil {
		return nil, nil, err
	}
	s, err := splitSides(items, config)
	if err != nil {
		return nil, nil, err
	}
	strategy, known, err := chooseStrategy(s, config)
	if err != nil {
		return nil, nil, err
	}
	progress("matching", 0, len(s.all()))
	triples, unused, err := match(s, known, config)
	if err != nil {
		return nil, nil, err
	}
	legacy := usesLegacyPaths(s.list)
	k := maker{
		list: list, strategy: strategy, dir: s.dir[identity.Local],
		comments: config.writeComments(), legacy: legacy, progress: progress, rules: newRuleUse(config.Conflicts),
	}
	all, err := k.makeAll(triples)
	if err != nil {
		return nil, nil, err
	}
	out := assemble(s, all, config, k)
	warnings, err := k.rules.warnings(all)
	if err != nil {
		return nil, nil, err
	}
	warnings = slices.Concat(s.unreadableFiles(), malformedComments(s), config.unusedRenames(unused), schemaWarnings(s, known, config), warnings)
	results, err := report(all, warnings, config.Conflicts)
	return out, results, err
}

// chooseStrategy makes the strategy that the config, else the Kptfile, asks for,
// and checks that it has the sides that it needs.
func chooseStrategy(s sides, config Config) (Strategy, *schema.Schema, error) {
	name := config.Strategy
	if name == "" {
		var err error
		if name, err = defaultStrategy(s.items[identity.Local]); err != nil {
			return nil, nil, err
		}
	}
	if err := s.checkPresent(config, name); err != nil {
		return nil, nil, err
	}
	known, err := newSchema(s, config)
	if err != nil {
		return nil, nil, err
	}
	return newStrategy(name, known, config), known, nil
}

// assemble lines up the items of the result (DESIGN 1.2).
func assemble(s sides, all []*merged, config Config, k maker) []*resourcelist.Item {
	resources := make(map[*item]*merged, len(s.list))
	for _, m := range all {
		for _, it := range m.items {
			resources[it] = m
		}
	}
	var upstream []*merged
	for _, it := range s.items[identity.Upstream] {
		upstream = append(upstream, resources[it])
	}
	number(all, upstream)
	var present []slot
	for _, it := range s.present(config) {
		m := resources[it]
		switch {
		case m.items[identity.Local] == it && m.stays():
			present = append(present, slot{resource: m})
		case m.items[identity.Local] != it && config.Sources.Keep:
			present = append(present, slot{kept: it})
		}
	}
	var out []*resourcelist.Item
	for _, place := range arrange(present, upstream) {
		out = append(out, k.itemAt(place))
	}
	return out
}

// present is the items that have a place in the output's order: the list's, and
// local's where local is read from a directory.
func (s sides) present(config Config) []*item {
	if config.Sources.Local.Dir == "" {
		return s.list
	}
	return append(slices.Clone(s.list), s.items[identity.Local]...)
}

// usesLegacyPaths says whether any item has the old name of the path
// annotation.
func usesLegacyPaths(items []*item) bool {
	for _, it := range items {
		if it.Annotation(legacyPath) != "" {
			return true
		}
	}
	return false
}

// malformedComments warns of merge comments that cannot be read.
func malformedComments(s sides) framework.Results {
	var warnings framework.Results
	for _, it := range s.all() {
		if !identity.IsComment(it.meta.Comment) {
			continue
		}
		if _, err := identity.ParseComment(it.meta.Comment); err != nil {
			warnings = append(warnings, warn(it, fmt.Sprintf("%s: %v; it is ignored", it.describe(), err)))
		}
	}
	return warnings
}
