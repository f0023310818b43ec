package pkgmerge

import (
	"path"
	"slices"
	"sync/atomic"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Policy says whose version the conflicts in a resource take (design 5).
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
