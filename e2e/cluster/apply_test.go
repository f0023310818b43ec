package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// TestApply: the server holds the same object after the function as after kubectl apply
// (rules/apply: the strategy apply), and the function refuses the objects that the server
// refuses.
func TestApply(t *testing.T) {
	drawn := drawn(t, applied)
	counted := newTally(t, len(drawn), slices.Concat(meant(), patches(), []string{"refused by both"})...)
	for i, s := range drawn {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := newComparison(t, s, "apply", i)
			c.apply(t, "strategy: apply\napply: {namespace: "+c.there.name+"}", "apply")
			c.drift()
			c.held(t)
			c.report(t, counted)
		})
	}
}

// applied is the first step: the object was applied as its config will be.
func applied(_ *rand.Rand, object server.Object) (step, string) {
	return step{args: []string{"apply", "-f", "-"}, stdin: manifest(object)}, ""
}

// drift: where nobody touched the object, the function finds no drift.
func (c *comparison) drift() {
	if len(c.situation.steps) == 1 && c.ours.of("drift") != nil {
		c.differ("drift", fmt.Sprintf("+ %v", c.ours.of("drift")))
	}
}
