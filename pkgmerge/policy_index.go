package pkgmerge

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// indexedRules are rules of which those that name a resource are found by its name, so that
// a rule for each resource takes no look at each rule for each resource (design 9).
type indexedRules struct {
	Rules
	// named are the indices of the rules that have a name and no glob, others those of
	// all others.
	named  map[string][]int
	others []int
}

func (r Rules) indexed() indexedRules {
	out := indexedRules{Rules: r, named: map[string][]int{}}
	for i, rule := range r.Rules {
		if rule.Name == "" || strings.ContainsAny(rule.Name, `*?[\`) {
			out.others = append(out.others, i)
		} else {
			out.named[rule.Name] = append(out.named[rule.Name], i)
		}
	}
	return out
}

// For is Rules.For.
func (r indexedRules) For(m *Match) merge.Policy {
	var rules []Rule
	for _, i := range r.about(m) {
		rules = append(rules, r.Rules.Rules[i])
	}
	return r.first(rules)
}

// about are the indices of the rules whose selectors match a resource, in order.
func (r indexedRules) about(m *Match) []int {
	if len(r.Rules.Rules) == 0 {
		return nil
	}
	candidates := slices.Clone(r.others)
	for _, name := range m.names() {
		candidates = append(candidates, r.named[name]...)
	}
	slices.Sort(candidates)
	return slices.DeleteFunc(slices.Compact(candidates), func(i int) bool { return !r.Rules.Rules[i].matches(m) })
}

// names are what a rule may call a resource: its name, and those of its identities.
func (m *Match) names() []string {
	names := []string{m.Newest().Meta.Name}
	for side, version := range m.Versions {
		if version != nil {
			names = append(names, m.identityOf(identity.Side(side)).Name)
		}
	}
	return names
}
