package merge

import (
	"slices"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
)

// TestDifferentialConflicts checks what merge.Resource reports against what
// structured-merge-diff finds: both sides changed something in what each
// conflict is about; and what a side changed and the result has otherwise lies
// at, above or below a conflict, or in a list with an element that was re-keyed.
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

// subject is the path of what a conflict is about: of the struct for members of
// a union, which the sides may have switched by other members, also where these
// are keys of maps, and of the list for elements that a side has re-keyed.
func subject(a answers, p *Path) fieldpath.Path {
	path := theirPath(p)
	if list := rekeyedList(a, path); list != nil {
		return list
	}
	if p != nil && p.keys == nil && isMember(typeAt(a.kind.ours, theirPath(p.parent)), p.field) {
		return theirPath(p.parent)
	}
	if len(path) > 1 && apart(typeAt(a.kind.ours, path[:len(path)-2]), p.parent.field) {
		return path[:len(path)-2]
	}
	return path
}

// lost reports whether the result has not what a side has at a path. What is empty
// comes and goes with what is around it.
func lost(a answers, side identity.Side, path fieldpath.Path) bool {
	want, got := at(a.sides[side], path), a.at(path).ours
	if want == nil && hollow(at(a.sides[origin], path)) {
		return false
	}
	if hollow(want) || hollow(got) || equalAmounts(a.kind.ours, path, want, got) {
		return false
	}
	if want == nil || got == nil {
		return want != nil || got != nil
	}
	return !smdvalue.Equals(smdvalue.NewValueInterface(want), smdvalue.NewValueInterface(got))
}

// reported reports whether there is a conflict at, above or below a path.
func reported(a answers, path fieldpath.Path) bool {
	return slices.ContainsFunc(a.conflicts, func(c Conflict) bool { return meet(theirPath(c.Path), path) })
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
		if !equalAmounts(a.kind.ours, path, at(a.sides[origin], path), at(a.sides[side], path)) {
			out = append(out, path.Copy())
		}
	}
	return out
}
