package live_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/tests/livedraw"
)

// shapes are packages of n resources with n dependencies.
func shapes() map[string]func(n int) live.Input {
	name := func(i int) identity.ID {
		return identity.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprintf("c%06d", i)}
	}
	chain := func(n, last int) (objects []live.Object) {
		for i := range n {
			to := i + 1
			if to == n {
				to = last
			}
			annotations := []livedraw.Annotation{{live.OwningInventory, "ID-shop"}}
			if to >= 0 {
				annotations = append(annotations, livedraw.DependsOn(name(to)))
			}
			objects = append(objects, live.Object(livedraw.NewObject(name(i), annotations...)))
		}
		return objects
	}
	inventory := func(n int) *live.Inventory {
		v := &live.Inventory{Object: identity.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: "kpt", Name: "inventory"}, ID: "ID-shop", Live: true}
		for i := range n {
			v.Resources = append(v.Resources, name(i))
		}
		return v
	}
	return map[string]func(int) live.Input{
		"chain": func(n int) live.Input { return live.Input{Config: chain(n, -1), Inventory: inventory(0)} },
		"cycle": func(n int) live.Input { return live.Input{Config: chain(n, 0), Inventory: inventory(0)} },
		"into a cycle": func(n int) live.Input {
			return live.Input{Config: chain(n, n-2), Inventory: inventory(0)}
		},
		"prune": func(n int) live.Input {
			return live.Input{Live: chain(n, -1), Inventory: inventory(n), MayBeEmpty: true}
		},
		"one on all": func(n int) live.Input {
			var all []identity.ID
			in := live.Input{Inventory: inventory(0)}
			for i := range n {
				all = append(all, name(i))
				in.Config = append(in.Config, live.Object(livedraw.NewObject(name(i))))
			}
			in.Config = append(in.Config, live.Object(livedraw.NewObject(name(n), livedraw.DependsOn(all...))))
			return in
		},
		"all on one": func(n int) live.Input {
			in := live.Input{Inventory: inventory(0), Config: []live.Object{live.Object(livedraw.NewObject(identity.ID{Kind: "Namespace", Name: "shop"}))}}
			for i := range n {
				in.Config = append(in.Config, live.Object(livedraw.NewObject(name(i))))
			}
			return in
		},
	}
}

// Four times the resources are at most five times the allocations.
func TestGrowth(t *testing.T) {
	for shape, input := range shapes() {
		t.Run(shape, func(t *testing.T) {
			count := func(n int) float64 {
				in := input(n)
				return testing.AllocsPerRun(1, func() { _, _ = live.New(in) })
			}
			few, many := count(500), count(2000)
			if many > 5*few {
				t.Errorf("%.0f allocations for 500 resources, %.0f for 2000", few, many)
			}
		})
	}
}

// BenchmarkLinear plans 10,000 resources with 10,000 dependencies, and twice as many.
func BenchmarkLinear(b *testing.B) {
	for shape, input := range shapes() {
		for _, n := range []int{10_000, 20_000} {
			in := input(n)
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(shape, " ", "-"), n), func(b *testing.B) {
				for b.Loop() {
					_, _ = live.New(in)
				}
			})
		}
	}
}
