package function

import (
	"fmt"
	"path"
	"slices"
	"strings"

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

// matches reports whether the rule is about a resource: by the name and namespace
// that the user gave it, or those of its identity on any side.
func (r ConflictRule) matches(t triple) bool {
	m := t.newest().meta
	if r.Group != nil && *r.Group != identity.Group(m.APIVersion) || r.Kind != "" && r.Kind != m.Kind {
		return false
	}
	if r.isNamed(m.Namespace, m.Name) {
		return true
	}
	return slices.ContainsFunc(t.items[:], func(it *item) bool {
		return it != nil && r.isNamed(it.entry().ID().Namespace, it.entry().ID().Name)
	})
}

func (r ConflictRule) isNamed(namespace, name string) bool {
	if r.Namespace != nil && *r.Namespace != namespace {
		return false
	}
	named, err := path.Match(r.Name, name)
	return r.Name == "" || named && err == nil
}

// pattern is the rule's path, nil for everywhere.
func (r ConflictRule) pattern() merge.Pattern {
	if r.Path == "" {
		return nil
	}
	p, _ := merge.ParsePattern(r.Path) // check has parsed it
	return p
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
func (c Conflicts) preferenceFor(t triple) preference {
	p := preference{fallback: c.Prefer}
	if p.fallback == "" {
		p.fallback = preferUpstream
	}
	for _, r := range c.Rules {
		if !r.matches(t) {
			continue
		}
		p.rules = append(p.rules, pathRule{pattern: r.pattern(), prefer: r.Prefer})
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
// it would have taken does not matter; but two comments that collide are no
// conflict, and of these local's stays (DESIGN 5).
func (p preference) policy(path *merge.Path) merge.Preference {
	switch p.at(path) {
	case preferLocal, preferFail:
		return merge.PreferLocal
	case preferUnion:
		return merge.PreferUnion
	}
	return merge.PreferUpstream
}
