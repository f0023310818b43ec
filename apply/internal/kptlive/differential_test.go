package kptlive

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/tests/livedraw"
)

// TestDifferential plans drawn packages, and has the library of kpt plan them: the
// steps, their waves and order, the reasons and the inventory afterwards are the same,
// and so are the dependencies that are wrong.
func TestDifferential(t *testing.T) {
	planned, refused, reasons := 0, 0, map[live.Reason]int{}
	rapid.Check(t, func(r *rapid.T) {
		in := drawInput(r)
		in.MayBeEmpty = true // the library has no such error
		theirs := newOracle(t, in).answer(t)
		plan, err := live.New(in)
		if (err == nil) != (theirs.Wrong == nil) {
			r.Fatalf("the library says %v, ours %v", theirs.Wrong, err)
		}
		if err != nil {
			refused++
			compareProblems(r, theirs.Wrong, err)
			return
		}
		planned++
		for _, s := range plan.Steps {
			reasons[s.Reason]++
		}
		if diff := cmp.Diff(theirs, ours(plan)); diff != "" {
			r.Fatalf("the library (-), ours (+):\n%s", diff)
		}
	})
	t.Logf("%d plans alike, %d refused alike", planned, refused)
	for _, reason := range []live.Reason{
		live.None, live.Annotated, live.Unowned, live.Foreign, live.Inhabited, live.DependencyPruned, live.DependencySkipped,
		live.DependentApplied, live.DependentStays, live.Refused,
	} {
		t.Logf("%5d steps %v", reasons[reason], reason)
		if reasons[reason] == 0 {
			t.Errorf("no step is %v", reason)
		}
	}
}

// drawInput draws the input of a plan.
func drawInput(t *rapid.T) live.Input {
	drawn := livedraw.Draw(t)
	in := live.Input{
		Adopt: drawn.Adopt, Refused: drawn.Refused,
		Inventory: &live.Inventory{Object: livedraw.Inventory(), ID: livedraw.InventoryID, Live: true, Resources: drawn.Listed},
	}
	for _, o := range drawn.Config {
		in.Config = append(in.Config, live.Object(o))
	}
	for _, o := range drawn.Live {
		in.Live = append(in.Live, live.Object(o))
	}
	return in
}

// ours is a plan as an answer.
func ours(plan *live.Plan) (a answer) {
	for _, s := range plan.Steps {
		if s.Wave > len(a.Waves) {
			a.Waves = append(a.Waves, nil)
		}
		line := fmt.Sprintf("%v %s", s.Action, shown(metadata(s.ID)))
		switch s.Reason {
		case live.None:
		case live.Annotated:
			line += fmt.Sprintf(": %v %s=%s", s.Reason, s.Annotation, s.Value)
		case live.DependencyPruned, live.DependencySkipped, live.DependentApplied, live.DependentStays:
			line += fmt.Sprintf(": %v %s", s.Reason, shown(metadata(s.Other)))
		default:
			line += fmt.Sprintf(": %v", s.Reason)
		}
		a.Waves[s.Wave-1] = append(a.Waves[s.Wave-1], line)
	}
	for _, id := range plan.Resources {
		a.Listed = append(a.Listed, shown(metadata(id)))
	}
	return a
}

// compareProblems compares the dependencies that the two name. For a circle the library
// also lists the dependencies of objects that merely depend on it.
func compareProblems(t *rapid.T, theirs, err error) {
	var refusal *live.Refusal
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	var external, repeated, circular []string
	malformed := 0
	for _, p := range refusal.Problems {
		for _, e := range p.Edges {
			edge := livedraw.Reference(e.From) + " -> " + livedraw.Reference(e.To)
			switch p.Kind {
			case live.External:
				external = append(external, edge)
			case live.Repeated:
				repeated = append(repeated, edge)
			default:
				circular = append(circular, edge)
			}
		}
		if p.Kind == live.Malformed {
			malformed++
		}
	}
	text := theirs.Error()
	compareEdges(t, "external", named(text, `external dependency: (\S+ -> \S+)`), external)
	compareEdges(t, "duplicate", named(text, `duplicate dependency: (\S+ -> \S+)`), repeated)
	if n := strings.Count(text, "failed to parse object reference"); n != malformed {
		t.Fatalf("%d annotations are malformed, the library says %s", malformed, text)
	}
	circles := named(text, `(?m)^\s*- (\S+ -> \S+)$`)
	for _, edge := range circular {
		if !slices.Contains(circles, edge) {
			t.Fatalf("%s is in a circle, the library says %s", edge, text)
		}
	}
	if (len(circles) == 0) != (len(circular) == 0) {
		t.Fatalf("circles: %v, the library says %s", circular, text)
	}
}

func named(text, pattern string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

func compareEdges(t *rapid.T, what string, theirs, ours []string) {
	slices.Sort(theirs)
	slices.Sort(ours)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Fatalf("%s: the library (-), ours (+):\n%s", what, diff)
	}
}
