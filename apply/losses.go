package apply

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// addDrift adds its managers to each live change that an apply overwrites, if the live object has managedFields, and a
// conflict for each value that somebody else than the applier wrote and nobody applied (rules/apply: drift). stored has
// the live object and the result as the server stores them, and differences what the result changes of the live object.
func (r *run) addDrift(out *merge.Outcome, trees [3]*yaml.Node, kind schema.Resource, stored [2]*yaml.Node, entries managed.Entries, differences []merge.Comparison) {
	l := losses{
		owners: owners{entries: slices.DeleteFunc(slices.Clone(entries), isApplier)}, reported: map[string]bool{},
		last: merge.NewFinder(trees[identity.Origin]), result: merge.NewFinder(out.Node),
		lastStored: merge.NewFinder(r.fields.Stored(kind, trees[identity.Origin])),
		wasStored:  merge.NewFinder(stored[0]), isStored: merge.NewFinder(stored[1]),
	}
	l.isUnowned = len(entries) == 0 && trees[identity.Origin] != nil
	if l.isUnowned && r.fields.Knows(kind, trees[identity.Local]) {
		l.isChosen = func(at *merge.Path) bool { return admission.IsChosen(kind, at) }
	}
	for i, c := range out.Conflicts {
		if l.reported[c.Path.String()] = true; c.Kind == merge.Drift {
			out.Conflicts[i].Managers = l.owners.of(c.Path)
		}
	}
	live := merge.NewFinder(trees[identity.Local])
	for _, d := range differences {
		at := wholeList(kind.Type, d.Path)
		if value := live.Value(at); value != nil && !l.isReported(at) && !isRecordOf(d) {
			l.find(at, typeAt(kind.Type, at), value)
		}
	}
	out.Conflicts = append(out.Conflicts, l.found...)
}

// losses finds the values of others than the applier that an apply changes or removes.
type losses struct {
	owners              owners
	last, result        *merge.Finder
	lastStored          *merge.Finder // the config that was applied last, as the server stores it
	wasStored, isStored *merge.Finder // the live object and the result
	reported            map[string]bool
	found               []merge.Conflict
	isUnowned           bool                   // the live object has no managedFields, and a record of the last config
	isChosen            func(*merge.Path) bool // whether the server or a controller chooses a value; nil if nobody knows
}

// isReported reports whether a loss at a path or above it is reported.
func (l *losses) isReported(path *merge.Path) bool {
	for at := path; at != nil; at = at.Parent() {
		if l.reported[at.String()] {
			return true
		}
	}
	return false
}

// find reports a live value that the apply changes and that somebody else wrote, or such values below it.
func (l *losses) find(at *merge.Path, typ *schema.Type, live *yaml.Node) {
	result := l.result.Value(at)
	if result != nil && merge.Same(result, live) || l.reported[at.String()] || isEqual(l.wasStored.Value(at), l.isStored.Value(at)) {
		return
	}
	last := l.last.Value(at)
	if managers, is := l.isForeign(at, typ, live, last); is {
		l.reported[at.String()] = true
		l.found = append(l.found, merge.Conflict{
			Kind: merge.Drift, Path: at, Chosen: identity.Upstream, Managers: managers,
			Values: [3]*yaml.Node{identity.Origin: last, identity.Upstream: result, identity.Local: live},
		})
		return
	}
	l.findBelow(at, typ, live)
}

// isForeign reports whether somebody else than the applier wrote a live value, and who. With managedFields that is an
// owner of the field, and of a list that is replaced whole also the owner of a field around it. Without them it is a
// value that the server does not make of the last config.
func (l *losses) isForeign(at *merge.Path, typ *schema.Type, live, last *yaml.Node) (managers []string, is bool) {
	isApplied := last != nil && (last.Kind != yaml.ScalarNode || last.Value != "") && !yamlnode.IsNull(last)
	isList := live.Kind == yaml.SequenceNode && !isKeyedList(typ)
	stored := l.lastStored.Value(at)
	switch {
	case isApplied && !isList, isEqual(stored, l.wasStored.Value(at)):
		return nil, false
	case !l.isUnowned && isList:
		managers = l.owners.around(at)
		return managers, len(managers) > 0
	case !l.isUnowned:
		managers = l.owners.of(at)
		return managers, len(managers) > 0
	case isApplied:
		return nil, true
	case l.isChosen == nil || l.isChosen(at):
		return nil, false
	}
	return nil, stored == nil || live.Kind != yaml.MappingNode
}

// isKeyedList reports whether an apply merges the elements of a list.
func isKeyedList(typ *schema.Type) bool {
	return typ != nil && (typ.Relation == schema.ListMap || typ.Relation == schema.Set)
}

// findBelow reports the lost values in the fields or elements of a value.
func (l *losses) findBelow(at *merge.Path, typ *schema.Type, live *yaml.Node) {
	switch live.Kind {
	case yaml.MappingNode:
		for key, v := range yamlnode.Pairs(live) {
			l.find(at.Field(key.Value), typ.Part(key.Value), v)
		}
	case yaml.SequenceNode:
		for i, e := range live.Content {
			if keys := l.owners.keysOf(typ, at, e, i); keys != nil {
				l.find(at.Element(keys), typ.Element(), e)
			}
		}
	}
}

// typeAt returns the type of the value at a path, nil if it is unknown.
func typeAt(typ *schema.Type, path *merge.Path) *schema.Type {
	for _, step := range path.Steps() {
		if step.Keys != nil {
			typ = typ.Element()
		} else {
			typ = typ.Part(step.Field)
		}
	}
	return typ
}

// wholeList returns the path of the outermost list around a path that an apply replaces whole, else the path itself.
func wholeList(typ *schema.Type, path *merge.Path) *merge.Path {
	var at *merge.Path
	for _, step := range path.Steps() {
		switch {
		case step.Keys == nil:
			at, typ = at.Field(step.Field), typ.Part(step.Field)
		case !isKeyedList(typ):
			return at
		default:
			at, typ = at.Element(step.Keys), typ.Element()
		}
	}
	return at
}
