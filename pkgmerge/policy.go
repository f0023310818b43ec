package pkgmerge

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Policy says whose version the conflicts in a resource take (rules/conflicts:
// policies).
type Policy interface {
	For(*Match) merge.Policy
}

// Prefer is the policy that has one preference everywhere.
func Prefer(p merge.Preference) Policy { return Rules{Otherwise: p} }

// Rules is a policy of rules: the first that matches decides.
type Rules struct {
	Rules     []Rule
	Otherwise merge.Preference
	// Asked, if there is one, is set once Otherwise is asked for: as long as it is not,
	// any other preference gives the same result.
	Asked *atomic.Bool
}

// Rule decides the conflicts in some resources. A selector that is absent matches
// everything.
type Rule struct {
	Group     *string // the API group, without the version
	Kind      string
	Name      string  // a glob, as path.Match has them
	Namespace *string // "" is that of resources without one
	Path      merge.Pattern
	Prefer    merge.Preference
}

// For picks the rules for a resource.
func (r Rules) For(m *Match) merge.Policy {
	var rules []Rule
	about := m.subject()
	for _, rule := range r.Rules {
		if rule.matches(about) {
			rules = append(rules, rule)
		}
	}
	return r.first(rules)
}

// first is the policy of the rules that are about a resource.
func (r Rules) first(rules []Rule) merge.Policy {
	return func(at *merge.Path) merge.Preference {
		for _, rule := range rules {
			if rule.Path == nil || rule.Path.Covers(at) {
				return rule.Prefer
			}
		}
		if r.Asked != nil {
			r.Asked.Store(true)
		}
		return r.Otherwise
	}
}

// subject is a resource as rules select it: by the name and namespace that the user gave it,
// or by its identity on any side.
type subject struct {
	group, kind string
	names       []nameInSpace
}

type nameInSpace struct{ namespace, name string }

func (m *Match) subject() subject {
	meta := m.Newest().Meta
	s := subject{group: identity.Group(meta.APIVersion), kind: meta.Kind, names: []nameInSpace{{meta.Namespace, meta.Name}}}
	for side, version := range m.Versions {
		if version == nil {
			continue
		}
		id := m.identityOf(identity.Side(side))
		if n := (nameInSpace{id.Namespace, id.Name}); !slices.Contains(s.names, n) {
			s.names = append(s.names, n)
		}
	}
	return s
}

// matches reports whether the rule is about a resource.
func (r Rule) matches(s subject) bool {
	if r.Group != nil && *r.Group != s.group || r.Kind != "" && r.Kind != s.kind {
		return false
	}
	return slices.ContainsFunc(s.names, func(n nameInSpace) bool { return r.isNamed(n.namespace, n.name) })
}

func (r Rule) isNamed(namespace, name string) bool {
	if r.Namespace != nil && *r.Namespace != namespace {
		return false
	}
	named, err := path.Match(r.Name, name)
	return r.Name == "" || named && err == nil
}

// indexedRules are rules that are found by the names of resources, so that a rule for each
// resource takes no look at each rule for each resource (rules/reading: bounds).
type indexedRules struct {
	Rules
	// by are the indices of rules: by the name that they say; by the text that their glob
	// begins with; and by the text that it ends with, where it begins with a *.
	by [3]map[string][]int
	// lengths are how long the texts are that globs begin and end with.
	lengths [3][]int
	// others are the rules without a name, and with a glob that has a * at both ends.
	others []int
}

// How a rule says a name.
const (
	whole = iota
	prefix
	suffix
)

func (r Rules) indexed() indexedRules {
	out := indexedRules{Rules: r}
	for how := range out.by {
		out.by[how] = map[string][]int{}
	}
	for i, rule := range r.Rules {
		how, text := literalOf(rule.Name)
		if text == "" {
			out.others = append(out.others, i)
			continue
		}
		out.by[how][text] = append(out.by[how][text], i)
		if !slices.Contains(out.lengths[how], len(text)) {
			out.lengths[how] = append(out.lengths[how], len(text))
		}
	}
	return out
}

// literalOf is the text that a name of a rule says without a glob, and where in a name that
// text stands; "" where there is none.
func literalOf(name string) (how int, text string) {
	const globs = `*?[\`
	at := strings.IndexAny(name, globs)
	if at < 0 {
		return whole, name
	}
	if rest := strings.TrimLeft(name, "*"); at == 0 && rest != name && !strings.ContainsAny(rest, globs) {
		return suffix, rest
	}
	return prefix, name[:at]
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
	about := m.subject()
	candidates := slices.Clone(r.others)
	for _, n := range about.names {
		candidates = append(candidates, r.by[whole][n.name]...)
		for _, length := range r.lengths[prefix] {
			if length <= len(n.name) {
				candidates = append(candidates, r.by[prefix][n.name[:length]]...)
			}
		}
		for _, length := range r.lengths[suffix] {
			if length <= len(n.name) {
				candidates = append(candidates, r.by[suffix][n.name[len(n.name)-length:]]...)
			}
		}
	}
	slices.Sort(candidates)
	return slices.DeleteFunc(slices.Compact(candidates), func(i int) bool { return !r.Rules.Rules[i].matches(about) })
}
