package pkgmerge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Learnable reports whether a rule may be learned from people's decisions of a conflict, and may decide it
// (rules/learn: never learned): it is about two values of a field, and neither a security context, RBAC, a
// network policy nor a value that may hold a secret.
func (c *Change) Learnable(conflict merge.Conflict) bool {
	if conflict.Kind != merge.BothChanged && conflict.Kind != merge.KindChanged && conflict.Kind != merge.Order {
		return false
	}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if n := conflict.Values[side]; n == nil || yamlnode.IsNull(n) || hasGuardedField(n) {
			return false
		}
	}
	if isGuarded(c.Newest().Meta.Kind) || slices.ContainsFunc(conflict.Path.Steps(), func(s merge.Step) bool { return isGuarded(s.Field) }) {
		return false
	}
	return conflict.Path != nil && !c.MayHoldSecret(conflict.Path)
}

// guardedWords returns the beginnings of words in names of kinds and fields that people decide themselves.
func guardedWords() []string {
	return []string{"securitycontext", "podsecurity", "rbac", "networkpolic", "secret", "rolebinding", "clusterrole"}
}

// isGuarded reports whether a kind or a field is about security. Roles and service accounts count by their
// whole name, since many fields are named after another role.
func isGuarded(name string) bool {
	name = strings.ToLower(name)
	return name == "role" || name == "serviceaccount" ||
		slices.ContainsFunc(guardedWords(), func(word string) bool { return strings.Contains(name, word) })
}

// hasGuardedField reports whether a value has a field that is about security, at any depth.
func hasGuardedField(n *yaml.Node) (has bool) {
	yamlnode.Walk(n, func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			has = has || isGuarded(n.Content[i].Value)
		}
	})
	return has
}

// LearnedRule returns the rule that decided a conflict, and its index among the rules, if that rule was
// learned from earlier decisions.
func (c *Change) LearnedRule(conflict merge.Conflict) (rule Rule, index int, decided bool) {
	rules, is := c.merger.options.Policy.(indexedRules)
	if !is || c.unlearned[conflict.Path.String()] {
		return rule, 0, false
	}
	for _, i := range rules.about(c.Match) {
		if rule = rules.Rules.Rules[i]; rule.covers(conflict.Path) && rule.Prefer != merge.PreferNewest {
			return rule, i, rule.Learned != ""
		}
	}
	return rule, 0, false
}

// unlearn notes the conflicts of a change that a learned rule decided and must not decide. It reports whether
// there are any: then the resource is to be merged again.
func (m *merger) unlearn(c *Change) (found bool) {
	for _, conflict := range c.Conflicts {
		if _, _, decided := c.LearnedRule(conflict); !decided || c.Learnable(conflict) {
			continue
		}
		if c.unlearned == nil {
			c.unlearned = map[string]bool{}
		}
		c.unlearned[conflict.Path.String()], found = true, true
	}
	return found
}

// policyOf returns the policy for a resource, in which learned rules do not decide the noted conflicts.
func policyOf(p Policy, m *Match) merge.Policy {
	if rules, is := p.(indexedRules); is && len(m.unlearned) > 0 {
		return rules.without(m, m.unlearned)
	}
	return p.For(m)
}

// without returns a policy that leaves the learned rules out at some paths of a resource.
func (r indexedRules) without(m *Match, unlearned map[string]bool) merge.Policy {
	all := r.For(m)
	var byHand []Rule
	for _, i := range r.about(m) {
		if rule := r.Rules.Rules[i]; rule.Learned == "" {
			byHand = append(byHand, rule)
		}
	}
	others := r.first(byHand)
	return func(at *merge.Path) merge.Preference {
		if unlearned[at.String()] {
			return others(at)
		}
		return all(at)
	}
}
