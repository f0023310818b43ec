package merge

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestDifferentialStructuredMergeDiff compares merge.Resource under policy
// upstream with structured-merge-diff: what upstream changed since origin,
// applied to local. Every difference must be of a class that is intended, and
// every class must occur. The schema is client-go's, but for selectors, which
// here merge by key (DESIGN 4.4); how often that matters is counted apart.
func TestDifferentialStructuredMergeDiff(t *testing.T) {
	tally := map[string]int{}
	asIs := map[string]kindUnderTest{}
	for _, kind := range builtinKinds(t, false) {
		asIs[kind.String()] = kind
	}
	eachCase(t, 80, func(t *testing.T, a answers) {
		explain(t, a, tally)
		if atomicSelectorsMatter(t, asIs[a.kind.String()], a) {
			tally["selector by key"]++
		}
	})
	report(t, tally)
}

// eachCase draws cases of every built-in kind and merges them both ways.
func eachCase(t *testing.T, seeds int, check func(*testing.T, answers)) {
	t.Helper()
	for i, kind := range builtinKinds(t, true) {
		for seed := range seeds {
			d := drawer{Rand: rand.New(rand.NewPCG(uint64(i), uint64(seed))), schema: kind.theirs.Schema}
			object := d.resource(kind)
			var sides [3]any
			sides[origin], sides[upstream], sides[local] = object, d.edits(kind, object), d.edits(kind, object)
			name := fmt.Sprintf("%s, seed %d", kind, seed)
			a, err := ask(name, kind, sides)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			check(t, a)
		}
	}
}

// explain tallies the classes of a case's differences. One that has none is an
// error.
func explain(t *testing.T, a answers, tally map[string]int) {
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
		name := classify(a, d)
		tally[name]++
		if name == "" {
			t.Errorf("%s: a difference that is not intended: %s", a.name, d)
		}
	}
}

// classify names the class of a difference, "" if it has none.
func classify(a answers, d difference) string {
	for _, c := range intended() {
		if c.covers(a, d) {
			return c.name
		}
	}
	return ""
}

// atomicSelectorsMatter says whether structured-merge-diff gives another answer
// with client-go's schema as it is.
func atomicSelectorsMatter(t *testing.T, asIs kindUnderTest, a answers) bool {
	t.Helper()
	theirs, err := applied(asIs.theirs, a.sides)
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
func report(t *testing.T, tally map[string]int) {
	t.Helper()
	t.Logf("%d cases, %d alike, %d conflicts", tally["cases"], tally["alike"], tally["conflicts"])
	selectors := class{name: "selector by key", reason: "4.4: selectors merge by key, as kpt has it; there they are atomic (counts cases)"}
	for _, c := range append(intended(), selectors) {
		t.Logf("%5d %s: %s", tally[c.name], c.name, c.reason)
		if tally[c.name] == 0 {
			t.Errorf("no difference is of class %q", c.name)
		}
	}
}
