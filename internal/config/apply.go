package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Apply are the settings of the strategies apply and server-side-apply, and of
// resource-merge where it reads origin from live objects (design 13).
type Apply struct {
	// Namespace is that of config which names none; the default is default.
	Namespace string `json:"namespace"`
	// FieldManager is who applies, under server-side-apply; the default is kubectl.
	FieldManager string `json:"fieldManager"`
	// Force takes fields from other managers, under server-side-apply; the default is
	// false.
	Force bool `json:"force"`
	// Adopt are the managers whose fields are taken from live objects into the package,
	// under resource-merge with an origin from last-applied; the default is kubectl and its
	// subcommands that edit.
	Adopt []string `json:"adopt"`
}

const (
	fromLastApplied   = "last-applied"
	fromManagedFields = "managed-fields"
)

// With is a with other's settings where other has any.
func (a Apply) With(other Apply) Apply {
	return Apply{
		Namespace:    cmp.Or(other.Namespace, a.Namespace),
		FieldManager: cmp.Or(other.FieldManager, a.FieldManager),
		Force:        other.Force || a.Force,
		Adopt:        a.Adopt,
	}
}

func (a Apply) namespace() string { return cmp.Or(a.Namespace, "default") }

func (a Apply) adopt() []string {
	if a.Adopt != nil {
		return a.Adopt
	}
	return []string{"kubectl", "kubectl-edit", "kubectl-patch", "kubectl-replace", "kubectl-set", "kubectl-label", "kubectl-annotate"}
}

// strategyNamed is a strategy that a config may name, nil if the name is "".
func (s *Settings) strategyNamed(called string, name fieldNames) (pkgmerge.Strategy, error) {
	switch called {
	case "":
		return nil, nil
	case pkgmerge.Apply{}.Name():
		return pkgmerge.Apply{Namespace: s.Apply.namespace()}, nil
	case pkgmerge.ServerSideApply{}.Name():
		return pkgmerge.ServerSideApply{
			Namespace: s.Apply.namespace(), Manager: cmp.Or(s.Apply.FieldManager, "kubectl"), Force: s.Apply.Force,
		}, nil
	}
	strategy, err := pkgmerge.StrategyNamed(called)
	if err != nil {
		err = fmt.Errorf("%s: %w, %s, %s", name("strategy"), err, pkgmerge.Apply{}.Name(), pkgmerge.ServerSideApply{}.Name())
	}
	return strategy, err
}

// Applies reports whether the strategy is apply or server-side-apply.
func (s Settings) Applies() bool { return s.strategy != nil && pkgmerge.IsApply(s.strategy) }

// Keeps reports whether origin's and upstream's items come out too. An apply strategy
// must not take the config out of a package, unless the user says so (design 13.1).
func (s Settings) Keeps() bool {
	if s.Sources.Keep == nil {
		return s.Applies()
	}
	return *s.Sources.Keep
}

// checkApply finds fields that contradict the strategy (design 13, 13.5, 13.6).
func (s *Settings) checkApply(name fieldNames) error {
	from := s.Sources.Origin.From
	if from != "" && from != fromLastApplied && from != fromManagedFields {
		return fmt.Errorf("%s: %q is not allowed, allowed are %s, %s", name("sources.origin.from"), from, fromLastApplied, fromManagedFields)
	}
	for _, manager := range s.Apply.Adopt {
		if manager == "" {
			return fmt.Errorf("%s: %q is not allowed, allowed are names of managers", name("apply.adopt"), manager)
		}
	}
	if s.Applies() {
		return s.checkApplying(name)
	}
	if from != "" && s.strategy != nil {
		if err := s.checkFrom(s.strategy); err != nil {
			return fmt.Errorf("%s: %w", name("sources.origin.from"), err)
		}
	} else if from == fromManagedFields {
		return fmt.Errorf("%s: %q is not allowed, allowed is %s: managed fields do not tell what a lost field was", name("sources.origin.from"), from, fromLastApplied)
	}
	return s.checkUnused(name)
}

// checkUnused finds settings of apply under another strategy.
func (s *Settings) checkUnused(name fieldNames) error {
	fromLive, a := s.Sources.Origin.From != "", s.Apply
	const needs = "%s: %q is not allowed, allowed only with strategy %s"
	switch {
	case a.FieldManager != "":
		return fmt.Errorf(needs, name("apply.fieldManager"), a.FieldManager, "server-side-apply")
	case a.Force:
		return fmt.Errorf(needs, name("apply.force"), "true", "server-side-apply")
	case a.Adopt != nil && !fromLive:
		return fmt.Errorf(needs, name("apply.adopt"), strings.Join(a.Adopt, ", "), "resource-merge and sources.origin.from last-applied")
	case a.Namespace != "" && !fromLive:
		return fmt.Errorf(needs, name("apply.namespace"), a.Namespace, "apply or server-side-apply, or with sources.origin.from last-applied")
	}
	return nil
}

// checkFrom finds a strategy that cannot have an origin which is read from live objects.
func (s *Settings) checkFrom(strategy pkgmerge.Strategy) error {
	if strategy.Name() != (pkgmerge.ResourceMerge{}).Name() {
		return fmt.Errorf("%q is not allowed with strategy %s, allowed is no origin.from", s.Sources.Origin.From, strategy.Name())
	}
	if s.Sources.Origin.From != fromLastApplied {
		return fmt.Errorf("%q is not allowed with strategy %s, allowed is %s: managed fields do not tell what a lost field was", s.Sources.Origin.From, strategy.Name(), fromLastApplied)
	}
	return nil
}

// checkApplying finds what an apply strategy has no use for, or what would not be true
// of it.
func (s *Settings) checkApplying(name fieldNames) error {
	serverSide := s.strategy.Name() == pkgmerge.ServerSideApply{}.Name()
	with, origin := " with strategy "+s.Strategy, s.Sources.Origin
	wanted := fromLastApplied
	if serverSide {
		wanted = fromManagedFields
	}
	const refused = "%s: %q is not allowed%s, %s"
	const live = "origin is read from each live object"
	switch {
	case origin.From != "" && origin.From != wanted:
		return fmt.Errorf(refused, name("sources.origin.from"), origin.From, with, "allowed is "+wanted)
	case origin.None:
		return fmt.Errorf(refused, name("sources.origin.none"), "true", with, live)
	case origin.Path != "":
		return fmt.Errorf(refused, name("sources.origin.path"), origin.Path, with, live)
	case origin.Dir != "":
		return fmt.Errorf(refused, name("sources.origin.dir"), origin.Dir, with, live)
	case !serverSide && s.Apply.FieldManager != "":
		return fmt.Errorf(refused, name("apply.fieldManager"), s.Apply.FieldManager, with, "allowed is strategy server-side-apply")
	case !serverSide && s.Apply.Force:
		return fmt.Errorf(refused, name("apply.force"), "true", with, "allowed is strategy server-side-apply")
	case s.Apply.Adopt != nil:
		return fmt.Errorf(refused, name("apply.adopt"), strings.Join(s.Apply.Adopt, ", "), with, "allowed is strategy resource-merge")
	case len(s.Renames) > 0:
		return fmt.Errorf(refused, "renames", s.Renames[0].From, with, "a cluster knows a resource by its name")
	case serverSide && len(s.Lists) > 0:
		return fmt.Errorf(refused, "lists", s.Lists[0].Path, with, "the server knows the lists by its own schemas")
	case s.MergeComment != nil && *s.MergeComment:
		return fmt.Errorf(refused, name("mergeComment"), "true", with, "allowed is false: a live object has no comments")
	}
	return s.checkPreferences(name)
}

// checkPreferences finds a preference for what a server would not do: nobody can have it
// keep live's version (design 13.5).
func (s *Settings) checkPreferences(name fieldNames) error {
	const refused = "%s: %q is not allowed with strategy %s, allowed are %s, %s: the server would not keep live's value"
	lost := func(prefer string) bool { return prefer == preferLocal || prefer == preferUnion }
	if p := s.Conflicts.Prefer; lost(p) {
		return fmt.Errorf(refused, name("conflicts.prefer"), p, s.Strategy, preferUpstream, preferFail)
	}
	for i, r := range s.Conflicts.Rules {
		if lost(r.Prefer) {
			return fmt.Errorf(refused, fmt.Sprintf("conflicts.rules[%d].prefer", i), r.Prefer, s.Strategy, preferUpstream, preferFail)
		}
	}
	return nil
}
