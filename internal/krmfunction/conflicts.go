package krmfunction

import (
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
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
	// Name is a glob of their names, such as web-*: those in the user's package, or
	// those that the merge comments say.
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

// policy is the config's preferences as the merge takes them.
func (c Conflicts) policy() pkgmerge.Rules {
	out := pkgmerge.Rules{Otherwise: preferenceNamed(c.Prefer)}
	for _, r := range c.Rules {
		rule := pkgmerge.Rule{Group: r.Group, Kind: r.Kind, Name: r.Name, Namespace: r.Namespace, Prefer: preferenceNamed(r.Prefer)}
		if r.Path != "" {
			rule.Path, _ = merge.ParsePattern(r.Path) // check has parsed it
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

func preferenceNamed(name string) merge.Preference {
	switch name {
	case preferLocal:
		return merge.PreferLocal
	case preferUnion:
		return merge.PreferUnion
	case preferFail:
		return merge.PreferFail
	}
	return merge.PreferUpstream
}

// idleRules warn of rules that match no resource, and of those whose path matches
// no field of the resources that they match.
func (c Conflicts) idleRules(idle []pkgmerge.IdleRule) framework.Results {
	var warnings framework.Results
	for _, rule := range idle {
		text := fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no resource", rule.Index)
		if rule.Selects {
			text = fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no field: no resource that it selects has %s", rule.Index, c.Rules[rule.Index].Path)
		}
		warnings = append(warnings, warning(text))
	}
	return warnings
}
