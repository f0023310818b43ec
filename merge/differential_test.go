package merge

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
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

// eachDrawn draws cases of every built-in kind that is wanted: so many of each,
// and more if -rapid.checks is above its default.
func eachDrawn(t *testing.T, seeds int, wanted func(kindUnderTest) bool, check func(drawer, drawn)) {
	t.Helper()
	for i, kind := range builtinKinds(t, true) {
		if !wanted(kind) {
			continue
		}
		for seed := range scaled(t, seeds) {
			d := drawer{Rand: rand.New(rand.NewPCG(uint64(i), uint64(seed))), schema: kind.theirs.Schema}
			object := d.resource(kind)
			c := drawn{name: fmt.Sprintf("%s, seed %d", kind, seed), kind: kind}
			c.sides[origin], c.sides[upstream], c.sides[local] = object, d.edits(kind, object), d.edits(kind, object)
			check(d, c)
		}
	}
}

// scaled is a number of cases times a hundredth of -rapid.checks, whose default
// is 100, but never fewer.
func scaled(t *testing.T, n int) int {
	t.Helper()
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		t.Fatal(err)
	}
	return max(n, n*checks/100)
}

// eachCase draws cases of every built-in kind and merges them both ways.
func eachCase(t *testing.T, seeds int, their oracle, check func(*testing.T, answers)) {
	t.Helper()
	every := func(kindUnderTest) bool { return true }
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
