package apply

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// FieldChange is a field of a live object that an apply changes.
type FieldChange struct {
	Path     *merge.Path
	From, To *yaml.Node // nil if the field is absent
	Managers []string   // the owners of the live value, as kubectl names them; nil if they are unknown
}

// Effect returns the fields of the live object that an updating step changes, and notes on fields whose values stay:
// fields that move between managers, and fields that have the server's default before and after (rules/apply: results
// of an apply). The records of the apply are no fields.
func (s *Step) Effect() (fields []FieldChange, notes []string, err error) {
	if s.Action != Update {
		return nil, nil, nil
	}
	versions, result, err := s.Change.Contents()
	if err != nil {
		return nil, nil, err
	}
	kind, live := s.run.kindOf(s.Change.Match), versions[identity.Local]
	differences, err := merge.Differences(live, result, kind)
	if err != nil {
		return nil, nil, err
	}
	before, err := managed.EntriesOf(live)
	if err != nil {
		return nil, nil, err
	}
	stored := [2]*yaml.Node{s.run.fields.Stored(kind, live), s.run.fields.Updated(kind, live, result)}
	fields, defaults := changedFields(differences, live, stored, before)
	after, err := managed.EntriesOf(result)
	if err != nil {
		return nil, nil, err
	}
	notes = moves(before, after, fields)
	if defaults > 0 {
		notes = append(notes, "the server's default before and after: "+wording.Plural(defaults, "field"))
	}
	return fields, notes, nil
}

// Extra returns the fields of the object after the apply that config does not ask for, such as labels of controllers and the
// replicas of an autoscaler: To is the value, and Managers are its owners. Status, the server's defaults for config and the values
// that the server chooses itself are no such fields (rules/apply: results of an apply). Created and refused objects have none.
func (s *Step) Extra() (fields []FieldChange, err error) {
	if s.Action != Update && s.Action != Unchanged || s.Change == nil || !s.Change.Has(identity.Upstream) {
		return nil, nil
	}
	versions, result, err := s.Change.Contents()
	if err != nil {
		return nil, err
	}
	entries, err := managed.EntriesOf(versions[identity.Local])
	if err != nil {
		return nil, err
	}
	kind := s.run.kindOf(s.Change.Match)
	r := &reading{cluster: &s.run.cluster, match: s.Change.Match}
	differences, err := merge.Differences(s.run.fields.Stored(kind, versions[identity.Upstream]), s.run.fields.Stored(kind, r.compared(result)), kind)
	o, is := &owners{entries: entries}, merge.NewFinder(result)
	for _, d := range differences {
		if d.To != nil && is.Value(d.Path) != nil && !hasField(versions[identity.Upstream], d.Path.Steps()) && !isRecordOf(d) && !admission.IsChosen(kind, d.Path) {
			fields = append(fields, FieldChange{Path: d.Path, To: d.To, Managers: o.within(d.Path)})
		}
	}
	return fields, err
}

// changedFields returns the fields that differ between the live object and the result as the server stores them, with
// their managers, and counts those that have the server's default before and after. Without managedFields nobody knows
// whose defaults a field without config has, so that it is listed.
func changedFields(differences []merge.Comparison, live *yaml.Node, stored [2]*yaml.Node, before managed.Entries) (fields []FieldChange, defaults int) {
	wasStored, isStored := merge.NewFinder(stored[0]), merge.NewFinder(stored[1])
	last := sync.OnceValue(func() *yaml.Node { // nil if there is none, or none that a server reads
		n, err := lastapplied.Read(yamlnode.Annotation(live, lastapplied.Annotation))
		if err != nil {
			return nil
		}
		return n
	})
	o, others := &owners{entries: before}, &owners{entries: slices.DeleteFunc(slices.Clone(before), isApplier)}
	for _, d := range differences {
		was, is := wasStored.Value(d.Path), isStored.Value(d.Path)
		switch {
		case isRecordOf(d):
		case !d.Unkeyed && was == nil && is == nil: // an empty value, which no server stores
		case !d.Unkeyed && isSame(was, is):
			defaults++
		case d.To == nil && before != nil && last() != nil && !hasField(last(), d.Path.Steps()) && others.within(d.Path) == nil:
			defaults++ // client-side apply owns the defaults of the objects that it created
		default:
			fields = append(fields, FieldChange{Path: d.Path, From: d.From, To: d.To, Managers: o.within(d.Path)})
		}
	}
	return fields, defaults
}

// isSame reports whether a value is present, and the same as another one.
func isSame(a, b *yaml.Node) bool { return a != nil && b != nil && merge.Same(a, b) }

// isRecordOf reports whether a difference is in a record of the apply: managedFields, or the annotation last-applied,
// also as the only annotation.
func isRecordOf(d merge.Comparison) bool {
	steps := d.Path.Steps()
	switch {
	case len(steps) < 2 || steps[0].Field != "metadata":
		return false
	case steps[1].Field == "annotations" && len(steps) == 2:
		names := append(yamlnode.Names(d.From), yamlnode.Names(d.To)...)
		return !slices.ContainsFunc(names, func(name string) bool { return name != lastapplied.Annotation })
	case steps[1].Field == "annotations":
		return steps[2].Field == lastapplied.Annotation
	}
	return steps[1].Field == "managedFields"
}

// hasField reports whether a config has the field at a path. Elements of its lists may lack parts of their keys, which
// have defaults.
func hasField(config *yaml.Node, path []merge.Step) bool {
	switch {
	case config == nil || len(path) == 0:
		return config != nil
	case path[0].Keys == nil:
		return hasField(yamlnode.Field(config, path[0].Field), path[1:])
	}
	return slices.ContainsFunc(yamlnode.Elements(config), func(element *yaml.Node) bool {
		known := false
		for _, key := range path[0].Keys {
			value := element
			if key.Name != "" {
				value = yamlnode.Field(element, key.Name)
			}
			if value != nil && (key.Value == nil || !merge.Same(value, key.Value)) {
				return false
			}
			known = known || value != nil
		}
		return known && hasField(element, path[1:])
	})
}

// within returns the managers that own the field at a path, or a field below it.
func (o *owners) within(path *merge.Path) []string {
	var out []string
	for _, e := range o.entries {
		if slices.ContainsFunc(o.setsAt(e.Fields, path.Steps()), func(s *managed.Set) bool { return !s.Empty() }) {
			out = append(out, e.Owner.String())
		}
	}
	return out
}

// ownership has the managers of one field before and after an apply.
type ownership struct{ before, after []string }

// ownerships are the managers of fields by their paths, in the order in which these came up.
type ownerships struct {
	fields map[string]*ownership
	order  []string
}

// collect adds the managers of the fields that did not change.
func (o *ownerships) collect(entries managed.Entries, changed []FieldChange, add func(*ownership, string)) {
	sets := &owners{}
	for _, e := range entries {
		skipped := map[*managed.Set]bool{}
		for _, c := range changed {
			for _, s := range sets.setsAt(e.Fields, c.Path.Steps()) {
				skipped[s] = s != nil
			}
		}
		eachField(e.Fields, "", skipped, func(path string) {
			if o.fields[path] == nil {
				o.fields[path], o.order = &ownership{}, append(o.order, path)
			}
			add(o.fields[path], e.Manager)
		})
	}
}

// moves describes in a line each the fields that change their managers and not their values.
func moves(before, after managed.Entries, changed []FieldChange) (lines []string) {
	if after == nil {
		return nil
	}
	all := &ownerships{fields: map[string]*ownership{}}
	all.collect(before, changed, func(o *ownership, manager string) { o.before = append(o.before, manager) })
	all.collect(after, changed, func(o *ownership, manager string) { o.after = append(o.after, manager) })
	fields, kinds := map[[3]string][]string{}, [][3]string(nil)
	for _, path := range all.order {
		o := all.fields[path]
		from, to := without(o.before, o.after), without(o.after, o.before)
		if o.before == nil || o.after == nil || from == nil && to == nil {
			continue
		}
		kind := [3]string{strings.Join(from, " and "), strings.Join(to, " and "), strings.Join(without(o.after, to), " and ")}
		if fields[kind] = append(fields[kind], path); len(fields[kind]) == 1 {
			kinds = append(kinds, kind)
		}
	}
	for _, kind := range kinds {
		lines = append(lines, moveText(namedFields(fields[kind]), kind[0], kind[1], kind[2]))
	}
	return lines
}

// namedFields names a few fields, or counts many.
func namedFields(paths []string) string {
	if len(paths) > maxNamed {
		return wording.Plural(len(paths), "field")
	}
	return strings.Join(paths, ", ")
}

// moveText describes fields that move from a manager to another while others keep them. One of the two managers may be "".
func moveText(fields, from, to, keepers string) string {
	switch {
	case from == "":
		return fmt.Sprintf("ownership of %s is shared with %s", fields, to)
	case to == "":
		return fmt.Sprintf("ownership of %s is given up by %s, and stays with %s", fields, from, keepers)
	}
	return fmt.Sprintf("ownership of %s moves from %s to %s", fields, from, to)
}

// eachField calls visit for each field of a set without fields below it. It leaves out the skipped sets and the
// annotation last-applied.
func eachField(s *managed.Set, path string, skipped map[*managed.Set]bool, visit func(path string)) {
	switch {
	case skipped[s]:
	case s.HasBelow():
		for step, below := range s.Children() {
			if name, _ := step.FieldName(); name != lastapplied.Annotation {
				eachField(below, path+step.PathText(), skipped, visit)
			}
		}
	case s.Member():
		visit(strings.TrimPrefix(path, "."))
	}
}

// without returns the names that others lack.
func without(names, others []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(others, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
