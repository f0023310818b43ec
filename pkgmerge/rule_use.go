package pkgmerge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// idleLists returns the indices of the rules for lists that no resource has. Each resource is walked once, for all
// rules of its kind (rules/reading: bounds).
func (m *merger) idleLists() []int {
	type kind struct{ group, kind string }
	wanted := map[kind]*wantedLists{}
	for _, rule := range m.options.Lists {
		of := kind{rule.Group, rule.Kind}
		wanted[of] = wanted[of].with(rule.Path)
	}
	for _, r := range m.resources() {
		wanted[kind{identity.Group(r.Meta.APIVersion), r.Meta.Kind}].find(r.item.Node)
	}
	var idle []int
	for i, rule := range m.options.Lists {
		if !wanted[kind{rule.Group, rule.Kind}].found(rule.Path) {
			idle = append(idle, i)
		}
	}
	return idle
}

// wantedLists has the lists to find at a path and below it.
type wantedLists struct {
	here  bool // a list was found at the path itself
	below map[string]*wantedLists
}

func (w *wantedLists) with(path []string) *wantedLists {
	if w == nil {
		w = &wantedLists{below: map[string]*wantedLists{}}
	}
	if len(path) > 0 {
		w.below[path[0]] = w.below[path[0]].with(path[1:])
	}
	return w
}

// find marks the lists that n has.
func (w *wantedLists) find(n *yaml.Node) {
	if n = yamlnode.Resolve(n); w == nil || n == nil {
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		w.here = true
		if element := w.below[schema.AnyElement]; element != nil {
			for _, c := range n.Content {
				element.find(c)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content) && len(w.below) > 0; i += 2 {
			if name := n.Content[i].Value; name != schema.AnyElement {
				w.below[name].find(n.Content[i+1])
			}
		}
	}
}

// found reports whether a list was found at a path.
func (w *wantedLists) found(path []string) bool {
	for _, name := range path {
		w = w.below[name]
	}
	return w.here
}

// IdleRule is a rule of the policy that matched nothing, probably because of a misspelling (rules/conflicts: rules).
type IdleRule struct {
	// Index is the rule's index among the rules.
	Index int
	// Selects reports whether the rule selects a resource, so that only its path matches no field.
	Selects bool
}

// idleRules finds the rules that match no resource or no field. Changed resources are searched first:
// the others have not been parsed.
func (m *merger) idleRules(changes []*Change) []IdleRule {
	rules, ok := m.options.Policy.(indexedRules)
	if !ok {
		return nil
	}
	left := make(map[int]*IdleRule, len(rules.Rules.Rules))
	for i := range rules.Rules.Rules {
		left[i] = &IdleRule{Index: i}
	}
	for _, unchanged := range [2]bool{false, true} {
		for _, c := range changes {
			if len(left) > 0 && (c.Action == Unchanged) == unchanged {
				rules.use(c.Match, left)
			}
		}
	}
	var idle []IdleRule
	for i := range rules.Rules.Rules {
		if left[i] != nil {
			idle = append(idle, *left[i])
		}
	}
	return idle
}

// use removes the rules from left that select a resource and match a field of it with their path.
func (r indexedRules) use(m *Match, left map[int]*IdleRule) {
	parsed := false
	for _, i := range r.about(m) {
		rule := r.Rules.Rules[i]
		if left[i] == nil {
			continue
		}
		left[i].Selects = true
		if rule.Path != nil && !parsed {
			_, err := m.Trees() // without trees no rule matches a field
			defer m.forget()
			parsed = err == nil
		}
		hasField := func(tree *yaml.Node) bool { return tree != nil && rule.Path.Reaches(tree) }
		if rule.Path == nil || slices.ContainsFunc(m.trees[:], hasField) {
			delete(left, i)
		}
	}
}

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

// guardedWords returns the beginnings of words in names of kinds and fields that only people decide.
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
		for key := range yamlnode.Pairs(n) {
			has = has || isGuarded(key.Value)
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

// unlearn notes the conflicts of a change that a learned rule decided although it must not. It reports whether there
// are any: then the resource must be merged again.
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
