package merging

import (
	"fmt"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestDifferentialStructuredMergeDiff compares merge.Resource under policy upstream
// with structured-merge-diff: what upstream changed since origin, applied to local.
// Every difference must be of a class that is intended, and every class must occur. The
// schema is client-go's, but for selectors, which here merge by key (rules/schemas:
// built-in kinds); how often that matters is counted apart.
func TestDifferentialStructuredMergeDiff(t *testing.T) {
	tally := map[string]int{}
	asIs := map[string]kindUnderTest{}
	for _, kind := range builtinKinds(t, false) {
		asIs[kind.String()] = kind
	}
	eachCase(t, 80, applied, func(t *testing.T, a answers) {
		explain(t, a, intended(), tally)
		if atomicSelectorsMatter(t, asIs[a.kind.String()], a) {
			tally["selector by key"]++
		}
	})
	selectors := class{name: "selector by key", reason: "selectors merge by key, as kpt has it; there they are atomic (counts cases) (rules/schemas: built-in kinds)"}
	report(t, tally, append(intended(), selectors))
}

// drawn is a case: three versions of a resource.
type drawn struct {
	name  string
	kind  kindUnderTest
	sides [3]any
}

// drawer draws cases, and what only the comparisons draw.
type drawer struct{ kinddraw.Drawer }

// eachDrawn draws cases of every built-in kind that is wanted: so many of each,
// and more if -rapid.checks is above its default.
func eachDrawn(t *testing.T, seeds int, wanted func(kinddraw.Kind) bool, check func(drawer, drawn)) {
	t.Helper()
	kinds := kinddraw.Kinds(t, true)
	theirs := typesOf(t, kinds)
	kinddraw.Every(t, kinds, seeds, wanted, func(d kinddraw.Drawer, c kinddraw.Case) {
		check(drawer{d}, drawn{c.Name, kindUnderTest{c.Kind, theirs(c.Kind)}, c.Sides})
	})
}

// every wants all kinds.
func every(kinddraw.Kind) bool { return true }

// eachCase draws cases of every built-in kind and merges them both ways.
func eachCase(t *testing.T, seeds int, their oracle, check func(*testing.T, answers)) {
	t.Helper()
	eachDrawn(t, seeds, every, func(_ drawer, c drawn) {
		a, err := ask(c, their)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			return
		}
		check(t, a)
	})
}

// explain tallies the classes of a case's differences. One that has none is an
// error.
func explain(t *testing.T, a answers, classes []class, tally map[string]int) {
	t.Helper()
	differences, err := a.differences()
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	tally["cases"]++
	tally["conflicts"] += len(a.conflicts)
	if len(differences) == 0 {
		tally["alike"]++
	}
	for _, d := range differences {
		name := classify(a, d, classes)
		tally[name]++
		if name == "" {
			t.Errorf("%s: a difference that is not intended: %s", a.name, d)
		}
	}
}

// classify names the class of a difference, "" if it has none.
func classify(a answers, d difference, classes []class) string {
	for _, c := range classes {
		if c.covers(a, d) {
			return c.name
		}
	}
	return ""
}

// atomicSelectorsMatter reports whether structured-merge-diff gives another answer
// with client-go's schema as it is.
func atomicSelectorsMatter(t *testing.T, asIs kindUnderTest, a answers) bool {
	t.Helper()
	theirs, err := applied(asIs, a.sides)
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	again, err := a.kind.theirs.FromUnstructured(theirs.AsValue().Unstructured())
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	c, err := again.Compare(a.theirs)
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	return !c.IsSame()
}

// report logs the tally; a class that never occurred is an error.
func report(t *testing.T, tally map[string]int, classes []class) {
	t.Helper()
	t.Logf("%d cases, %d alike, %d conflicts", tally["cases"], tally["alike"], tally["conflicts"])
	for _, c := range classes {
		t.Logf("%5d %s: %s", tally[c.name], c.name, c.reason)
		if tally[c.name] == 0 {
			t.Errorf("no difference is of class %q", c.name)
		}
	}
}

// applied is structured-merge-diff's answer: what upstream changed since
// origin, applied to local.
func applied(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error) {
	var versions [3]*typed.TypedValue
	for side, v := range sides {
		version, err := kind.theirs.FromUnstructured(v)
		if err != nil {
			return nil, fmt.Errorf("side %d: %w", side, err)
		}
		versions[side] = version
	}
	changes, err := versions[origin].Compare(versions[upstream])
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	merged := versions[local]
	if set := withKeys(changes.Added.Union(changes.Modified).Leaves()); !set.Empty() {
		if merged, err = merged.Merge(versions[upstream].ExtractItems(set)); err != nil {
			return nil, fmt.Errorf("merging: %w", err)
		}
	}
	return merged.RemoveItems(withdrawn(changes.Removed)), nil
}

// withKeys adds the key fields of the elements that the paths lead through.
func withKeys(set *fieldpath.Set) *fieldpath.Set {
	out := set.Copy()
	for path := range set.All() {
		for i, step := range path {
			if step.Key == nil {
				continue
			}
			for _, part := range *step.Key {
				out.Insert(append(path[:i+1:i+1], fieldpath.FieldNameElement(part.Name)))
			}
		}
	}
	return out
}

// withdrawn returns the paths that upstream removed: leaves, and elements as
// wholes. In a map or list that upstream removed, local's own parts are to stay.
func withdrawn(removed *fieldpath.Set) *fieldpath.Set {
	out := removed.Leaves()
	for path := range removed.All() {
		if last := path[len(path)-1]; last.FieldName == nil {
			out.Insert(path.Copy())
		}
	}
	return out
}

// kindUnderTest is a built-in kind, with structured-merge-diff's type of it.
type kindUnderTest struct {
	kinddraw.Kind
	theirs typed.ParseableType
}

// builtinKinds returns all kinds that client-go's schema has, with selectors as
// it has them, atomic, or merged by key.
func builtinKinds(t *testing.T, selectorsByKey bool) []kindUnderTest {
	t.Helper()
	kinds := kinddraw.Kinds(t, selectorsByKey)
	theirs := typesOf(t, kinds)
	var out []kindUnderTest
	for _, kind := range kinds {
		out = append(out, kindUnderTest{kind, theirs(kind)})
	}
	return out
}

// typesOf finds structured-merge-diff's types of kinds, which share a schema.
func typesOf(t *testing.T, kinds []kinddraw.Kind) func(kinddraw.Kind) typed.ParseableType {
	t.Helper()
	text, err := yaml.Marshal(kinds[0].Schema)
	if err != nil {
		t.Fatal(err)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	return func(kind kinddraw.Kind) typed.ParseableType { return parser.Type(*kind.Type.NamedType) }
}

// TestDifferentialConflicts checks the reports of merge.Resource against the
// changes that structured-merge-diff finds: both sides changed something at the
// subject of each conflict; and a side's change that the result lacks is at, above
// or below a conflict, or in a list with an element that was re-keyed.
func TestDifferentialConflicts(t *testing.T) {
	eachCase(t, 30, applied, func(t *testing.T, a answers) {
		changes := [3][]fieldpath.Path{upstream: changedBy(t, a, upstream), local: changedBy(t, a, local)}
		for _, side := range []identity.Side{upstream, local} {
			for _, c := range a.conflicts {
				about := subject(a, c.Path)
				if !slices.ContainsFunc(changes[side], func(path fieldpath.Path) bool { return meet(path, about) }) {
					t.Errorf("%s: conflict %s at %s, but %s changed nothing there", a.name, c.Kind, c.Path, side)
				}
			}
			for _, path := range changes[side] {
				if lost(a, side, path) && !reported(a, path) && rekeyedList(a, path) == nil {
					t.Errorf("%s: no conflict, but %s's change is lost: %s", a.name, side, a.at(path))
				}
			}
		}
	})
}

// subject is the path of a conflict's subject: the struct for members of a union,
// which the sides may have switched by other members, also where these are keys of
// maps, and the list for elements that a side has re-keyed.
func subject(a answers, p *merge.Path) fieldpath.Path {
	path := theirPath(p)
	if list := rekeyedList(a, path); list != nil {
		return list
	}
	if above := len(path) - 1; above >= 0 && isMember(typeAt(a.kind.Ours, path[:above]), fieldOf(path[above])) {
		return path[:above]
	}
	if len(path) > 1 && apart(typeAt(a.kind.Ours, path[:len(path)-2]), fieldOf(path[len(path)-2])) {
		return path[:len(path)-2]
	}
	return path
}

// lost reports whether the result lacks a side's value at a path. Empty values come
// and go with the values around them.
func lost(a answers, side identity.Side, path fieldpath.Path) bool {
	want, got := at(a.sides[side], path), a.at(path).ours
	if want == nil && hollow(at(a.sides[origin], path)) {
		return false
	}
	if hollow(want) || hollow(got) || equalAmounts(a.kind.Ours, path, want, got) {
		return false
	}
	if want == nil || got == nil {
		return want != nil || got != nil
	}
	return !smdvalue.Equals(smdvalue.NewValueInterface(want), smdvalue.NewValueInterface(got)) && !keeps(got, want, at(a.sides[origin], path))
}

// reported reports whether there is a conflict at, above or below a path.
func reported(a answers, path fieldpath.Path) bool {
	return slices.ContainsFunc(a.conflicts, func(c merge.Conflict) bool { return meet(theirPath(c.Path), path) })
}

// changedBy lists the leaves that a side added, changed or removed.
func changedBy(t *testing.T, a answers, side identity.Side) []fieldpath.Path {
	t.Helper()
	var versions [3]*typed.TypedValue
	for i, v := range a.sides {
		version, err := a.kind.theirs.FromUnstructured(v)
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		versions[i] = version
	}
	c, err := versions[origin].Compare(versions[side])
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	var out []fieldpath.Path
	for path := range c.Added.Leaves().Union(c.Modified).Union(c.Removed.Leaves()).All() {
		if !equalAmounts(a.kind.Ours, path, at(a.sides[origin], path), at(a.sides[side], path)) {
			out = append(out, path.Copy())
		}
	}
	return out
}
