package function

import (
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Conflicts says whose version is taken where upstream and local collide
// (DESIGN 5).
type Conflicts struct {
	// Prefer is upstream, the default, local, union or fail. Union keeps of lists
	// without keys what both sides added and drops what either removed, and takes
	// upstream's version of everything else.
	Prefer string `json:"prefer"`
	// Rules are asked first; the first that matches decides.
	Rules []ConflictRule `json:"rules"`
}

// ConflictRule decides the collisions in some resources. Every selector is
// optional; one that is absent matches everything.
type ConflictRule struct {
	// Group is the API group, without the version; "" is the core group.
	Group *string `json:"group"`
	// Kind is the kind of the resources.
	Kind string `json:"kind"`
	// Name is a glob of their names, such as web-*.
	Name string `json:"name"`
	// Namespace is theirs; "" is that of resources without one.
	Namespace *string `json:"namespace"`
	// Path is that of a field, as results show it, with [*] for every element of
	// a list; it covers what is below it too.
	Path string `json:"path"`
	// Prefer is upstream, local, union or fail.
	Prefer string `json:"prefer"`
}

const (
	preferUpstream = "upstream"
	preferLocal    = "local"
	preferUnion    = "union"
	preferFail     = "fail"
)

func preferences() []string { return []string{preferUpstream, preferLocal, preferUnion, preferFail} }

// check finds a preference, glob or path that cannot be used.
func (c Conflicts) check() error {
	if c.Prefer != "" {
		if err := checkPreference(c.Prefer); err != nil {
			return fmt.Errorf("conflicts.prefer: %w", err)
		}
	}
	for i, r := range c.Rules {
		if err := r.check(); err != nil {
			return fmt.Errorf("conflicts.rules[%d].%w", i, err)
		}
	}
	return nil
}

func checkPreference(prefer string) error {
	for _, p := range preferences() {
		if prefer == p {
			return nil
		}
	}
	return fmt.Errorf("%q is not allowed, allowed are %s", prefer, strings.Join(preferences(), ", "))
}

func (r ConflictRule) check() error {
	if err := checkPreference(r.Prefer); err != nil {
		return fmt.Errorf("prefer: %w", err)
	}
	if _, err := path.Match(r.Name, ""); err != nil {
		return fmt.Errorf("name: %q is not allowed, allowed is a glob such as web-*: %w", r.Name, err)
	}
	if r.Path != "" {
		if _, err := merge.ParsePattern(r.Path); err != nil {
			return fmt.Errorf("path: %w", err)
		}
	}
	return nil
}

// matches says whether the rule is about a resource, by the names that the user
// knows it by.
func (r ConflictRule) matches(m identity.Meta) bool {
	if r.Group != nil && *r.Group != identity.Group(m.APIVersion) || r.Kind != "" && r.Kind != m.Kind ||
		r.Namespace != nil && *r.Namespace != m.Namespace {
		return false
	}
	named, err := path.Match(r.Name, m.Name)
	return r.Name == "" || named && err == nil
}

// preference decides for one resource. The paths of the rules are read once.
type preference struct {
	rules    []pathRule
	fallback string
}

type pathRule struct {
	pattern merge.Pattern // nil: everywhere
	prefer  string
}

// preferenceFor picks the rules for a resource.
func (c Conflicts) preferenceFor(m identity.Meta) preference {
	p := preference{fallback: c.Prefer}
	if p.fallback == "" {
		p.fallback = preferUpstream
	}
	for _, r := range c.Rules {
		if !r.matches(m) {
			continue
		}
		rule := pathRule{prefer: r.Prefer}
		if r.Path != "" {
			rule.pattern, _ = merge.ParsePattern(r.Path) // check has parsed it
		}
		p.rules = append(p.rules, rule)
	}
	return p
}

// at is the preference at a path: the first rule's that covers it.
func (p preference) at(path *merge.Path) string {
	for _, r := range p.rules {
		if r.pattern == nil || r.pattern.Covers(path) {
			return r.prefer
		}
	}
	return p.fallback
}

// policy is the preference as the merge takes it. Where a conflict fails, what
// it would have taken does not matter; upstream's is shown.
func (p preference) policy(path *merge.Path) merge.Preference {
	switch p.at(path) {
	case preferLocal:
		return merge.PreferLocal
	case preferUnion:
		return merge.PreferUnion
	}
	return merge.PreferUpstream
}

// unmatchedRules warns of rules whose selectors match no resource.
func (c Conflicts) unmatchedRules(all []*merged) framework.Results {
	var warnings framework.Results
	for i, r := range c.Rules {
		found := false
		for _, m := range all {
			found = found || r.matches(m.newest().meta)
		}
		if !found {
			warnings = append(warnings, &framework.Result{
				Severity: framework.Warning,
				Message:  fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no resource", i),
			})
		}
	}
	return warnings
}
