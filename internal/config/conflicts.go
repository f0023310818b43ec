package config

import (
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Conflicts says whose version is taken where upstream and local collide
// (design 5).
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

// policy is the config's preferences as the merge takes them. A preference, glob or
// path that cannot be used is an error.
func (c Conflicts) policy(name fieldNames) (pkgmerge.Rules, error) {
	var out pkgmerge.Rules
	var err error
	if c.Prefer != "" {
		if out.Otherwise, err = preferenceNamed(c.Prefer); err != nil {
			return out, fmt.Errorf("%s: %w", name("conflicts.prefer"), err)
		}
	}
	for i, r := range c.Rules {
		rule, err := r.rule()
		if err != nil {
			return out, fmt.Errorf("conflicts.rules[%d].%w", i, err)
		}
		out.Rules = append(out.Rules, rule)
	}
	return out, nil
}

func (r ConflictRule) rule() (rule pkgmerge.Rule, err error) {
	rule = pkgmerge.Rule{Group: r.Group, Kind: r.Kind, Name: r.Name, Namespace: r.Namespace}
	if rule.Prefer, err = preferenceNamed(r.Prefer); err != nil {
		return rule, fmt.Errorf("prefer: %w", err)
	}
	if _, err := path.Match(r.Name, ""); err != nil {
		return rule, fmt.Errorf("name: %q is not allowed, allowed is a glob such as web-*: %w", r.Name, err)
	}
	if r.Path != "" {
		if rule.Path, err = merge.ParsePattern(r.Path); err != nil {
			return rule, fmt.Errorf("path: %w", err)
		}
	}
	return rule, nil
}

func preferenceNamed(name string) (merge.Preference, error) {
	switch name {
	case preferUpstream:
		return merge.PreferUpstream, nil
	case preferLocal:
		return merge.PreferLocal, nil
	case preferUnion:
		return merge.PreferUnion, nil
	case preferFail:
		return merge.PreferFail, nil
	}
	return 0, fmt.Errorf("%q is not allowed, allowed are %s", name, strings.Join(preferences(), ", "))
}
