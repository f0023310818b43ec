package config

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Conflicts says whose version is taken where upstream and local collide
// (rules/conflicts: policies).
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

// Rename is a resource that upstream renamed, where nothing else tells (rules/identity:
// by identity).
type Rename struct {
	// Group is the API group, without the version; "" is the core group, and the
	// default is any.
	Group *string `json:"group"`
	// Kind is the kind of the resource.
	Kind string `json:"kind"`
	// From is what origin and local call it: a name, in whatever namespace, or
	// namespace/name.
	From string `json:"from"`
	// To is what upstream calls it: a name, in the same namespace, or
	// namespace/name.
	To string `json:"to"`
}

func (r Rename) check() error {
	if r.Kind == "" {
		return errors.New(`kind: "" is not allowed, allowed is the kind of the resource that upstream renamed`)
	}
	if !isName(r.From) {
		return fmt.Errorf("from: %q is not allowed, allowed is a name or namespace/name", r.From)
	}
	if !isName(r.To) {
		return fmt.Errorf("to: %q is not allowed, allowed is a name or namespace/name", r.To)
	}
	return nil
}

// isName reports whether text is a name or namespace/name.
func isName(text string) bool {
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if part == "" || strings.ContainsAny(part, " \t\r\n") {
			return false
		}
	}
	return len(parts) <= 2
}

// Idle says in sentences which entries of the config were about nothing.
func (s Settings) Idle(merged *pkgmerge.Result) []string {
	return slices.Concat(s.unusedRenames(merged.IdleRenames), s.idleLists(merged.IdleLists), s.Conflicts.idleRules(merged.IdleRules))
}

// idleLists warn of rules for lists that no resource has.
func (s Settings) idleLists(idle []int) []string {
	var warnings []string
	for i := range s.Lists {
		if s.Applies() {
			warnings = append(warnings, fmt.Sprintf("lists[%d] has no effect: kubectl has keys of its own for lists, and none for those of custom resources", i))
		}
	}
	for _, i := range idle {
		if s.Applies() {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("lists[%d] matches nothing: no %s has a list at %s", i, s.Lists[i].Kind, s.Lists[i].Path))
	}
	return warnings
}

// unusedRenames warns of entries that no resource of origin's or local's has.
func (s Settings) unusedRenames(unused []int) []string {
	var warnings []string
	for _, i := range unused {
		warnings = append(warnings, fmt.Sprintf("renames[%d] matches nothing: neither origin nor local has a %s %s", i, s.Renames[i].Kind, s.Renames[i].From))
	}
	return warnings
}

// idleRules warn of rules that match no resource, and of those whose path matches
// no field of the resources that they match.
func (c Conflicts) idleRules(idle []pkgmerge.IdleRule) []string {
	var warnings []string
	for _, rule := range idle {
		text := fmt.Sprintf("conflicts.rules[%d] matches no resource", rule.Index)
		if rule.Selects {
			text = fmt.Sprintf("conflicts.rules[%d] matches no field: no resource that it selects has %s", rule.Index, c.Rules[rule.Index].Path)
		}
		warnings = append(warnings, text)
	}
	return warnings
}
