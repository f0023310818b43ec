package live_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/tests/livedraw"
)

// Whatever the config, the cluster and the inventory are: each resource of the config
// has one step, and so has each of the prune set that is live. What is applied comes
// after all that it depends on, and what is pruned before it. Nothing is taken from
// another inventory. The inventory has what is applied, and no more than that and what
// it had.
func TestLawPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		plan, err := live.New(in)
		if err != nil {
			checkProblems(t, err)
			return
		}
		had := set(in.Inventory.Resources)
		steps := map[identity.ID]live.Step{}
		for at, s := range plan.Steps {
			if _, twice := steps[s.ID]; twice {
				t.Fatalf("%v has two steps", s.ID)
			}
			steps[s.ID] = s
			if at > 0 && s.Wave != plan.Steps[at-1].Wave && s.Wave != plan.Steps[at-1].Wave+1 {
				t.Fatalf("wave %d comes after %d", s.Wave, plan.Steps[at-1].Wave)
			}
			if s.Pruning && !had[s.ID] {
				t.Fatalf("%v is pruned, and the inventory has not listed it", s.ID)
			}
		}
		for _, o := range in.Config {
			if s, found := steps[o.ID]; !found || s.Pruning || s.Action == live.Prune {
				t.Fatalf("%v is in the config, and its step is %v", o.ID, s)
			}
		}
		checkOwners(t, in, steps)
		checkDependencies(t, in, steps)
		checkListed(t, plan, had, steps)
	})
}

// The order of the config changes nothing but the order of the inventory.
func TestLawOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		plan, err := live.New(in)
		in.Config = rapid.Permutation(in.Config).Draw(t, "order")
		again, errAgain := live.New(in)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("%v, in another order %v", err, errAgain)
		}
		if err != nil {
			return
		}
		same := func(a, b live.Step) bool {
			return a.ID == b.ID && a.Action == b.Action && a.Wave == b.Wave && (a.Reason == live.None) == (b.Reason == live.None)
		}
		if !slices.EqualFunc(plan.Steps, again.Steps, same) {
			t.Fatalf("%v\nin another order\n%v", shown(plan), shown(again))
		}
	})
}

// drawInput draws the input of a plan.
func drawInput(t *rapid.T) live.Input {
	drawn := livedraw.Draw(t)
	in := live.Input{
		Adopt: drawn.Adopt, MayBeEmpty: drawn.MayBeEmpty, Refused: drawn.Refused,
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

func checkProblems(t *rapid.T, err error) {
	var refusal *live.Refusal
	if !errors.As(err, &refusal) || len(refusal.Problems) == 0 {
		t.Fatal(err)
	}
	for _, p := range refusal.Problems {
		if p.Kind == live.Cycle && !closed(p.Edges) {
			t.Fatalf("no circle: %v", p)
		}
	}
}

// closed reports whether each resource of a circle depends on another of it, and
// another on it.
func closed(edges []live.Edge) bool {
	from, to := map[identity.ID]bool{}, map[identity.ID]bool{}
	for _, e := range edges {
		from[e.From], to[e.To] = true, true
	}
	for _, e := range edges {
		if !from[e.To] || !to[e.From] {
			return false
		}
	}
	return len(edges) > 1
}

func checkOwners(t *rapid.T, in live.Input, steps map[identity.ID]live.Step) {
	for _, o := range in.Live {
		s, found := steps[o.ID]
		if !found || s.Action == live.Skip || s.Action == live.Keep {
			continue
		}
		owner, owned := livedraw.Value(livedraw.Object(o), live.OwningInventory)
		if owned && owner != in.Inventory.ID || !owned && !in.Adopt {
			t.Fatalf("%v belongs to %q, and its step is %v", o.ID, owner, s.Action)
		}
	}
}

func checkDependencies(t *rapid.T, in live.Input, steps map[identity.ID]live.Step) {
	for at, o := range slices.Concat(in.Config, in.Live) {
		s, found := steps[o.ID]
		if !found || s.Pruning != (at >= len(in.Config)) {
			continue // the config's annotations count, and the live ones of pruned objects
		}
		for _, id := range livedraw.Dependencies(livedraw.Object(o)) {
			other, planned := steps[id]
			switch {
			case !planned:
			case s.Action == live.Apply && s.Pruning == other.Pruning && (other.Action != live.Apply || other.Wave >= s.Wave):
				t.Fatalf("%v is applied in wave %d, and depends on %v: %v in wave %d", s.ID, s.Wave, id, other.Action, other.Wave)
			case other.Action == live.Prune && s.Pruning && (s.Action != live.Prune || s.Wave >= other.Wave):
				t.Fatalf("%v is pruned in wave %d, and %v depends on it: %v in wave %d", id, other.Wave, s.ID, s.Action, s.Wave)
			}
		}
	}
}

func checkListed(t *rapid.T, plan *live.Plan, had map[identity.ID]bool, steps map[identity.ID]live.Step) {
	listed := set(plan.Resources)
	if len(listed) != len(plan.Resources) {
		t.Fatalf("the inventory lists a resource twice: %v", plan.Resources)
	}
	for id := range listed {
		if steps[id].Action != live.Apply && (!had[id] || steps[id].Action != live.Skip) {
			t.Fatalf("the inventory lists %v, which is %v", id, steps[id].Action)
		}
	}
	for id, s := range steps {
		if !listed[id] && (s.Action == live.Apply || s.Action == live.Skip && had[id]) {
			t.Fatalf("the inventory does not list %v, which is %v", id, s.Action)
		}
	}
}

func set(ids []identity.ID) map[identity.ID]bool {
	out := map[identity.ID]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}
