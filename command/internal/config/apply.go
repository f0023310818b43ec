package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Apply are the settings of the strategies apply and server-side-apply, and of
// resource-merge where it reads origin from live objects (rules/apply: the strategy
// apply).
type Apply struct {
	// Namespace is that of config which names none; the default is default.
	Namespace string `json:"namespace"`
	// FieldManager is who applies, under server-side-apply; the default is kubectl.
	FieldManager string `json:"fieldManager"`
	// Force takes fields from other managers, under server-side-apply; the default is
	// false.
	Force bool `json:"force"`
	// InventoryPolicy is what of the cluster a package with an inventory may take: strict,
	// its own objects only, or adopt, those of no inventory too; the default is strict.
	InventoryPolicy string `json:"inventoryPolicy"`
	// Adopt are the managers whose fields are taken from live objects into the package,
	// under resource-merge with an origin from last-applied; the default is kubectl and its
	// subcommands that edit.
	Adopt []string `json:"adopt"`
}

// With is a with other's settings where other has any.
func (a Apply) With(other Apply) Apply {
	return Apply{
		Namespace:    cmp.Or(other.Namespace, a.Namespace),
		FieldManager: cmp.Or(other.FieldManager, a.FieldManager),
		Force:        other.Force || a.Force,

		InventoryPolicy: cmp.Or(other.InventoryPolicy, a.InventoryPolicy),
		Adopt:           a.Adopt,
	}
}

const (
	strictInventory = "strict"
	adoptInventory  = "adopt"
)

// InventoryPolicies are the policies that a config may name; the first is the usual one.
func InventoryPolicies() []string { return []string{strictInventory, adoptInventory} }

func (a Apply) namespace() string { return cmp.Or(a.Namespace, "default") }

func (a Apply) adopt() []string {
	if a.Adopt != nil {
		return a.Adopt
	}
	return []string{"kubectl", "kubectl-edit", "kubectl-patch", "kubectl-replace", "kubectl-set", "kubectl-label", "kubectl-annotate"}
}

const (
	fromLastApplied   = "last-applied"
	fromManagedFields = "managed-fields"
)

// strategyNamed is a strategy that a config may name, nil if the name is "".
func (s Settings) strategyNamed(called string, name fieldNames) (pkgmerge.Strategy, error) {
	switch called {
	case "":
		return nil, nil
	case applyName, serverSideName:
		return apply.Strategy{
			ServerSide: called == serverSideName, Namespace: s.Apply.namespace(), Manager: s.Apply.FieldManager, Force: s.Apply.Force,
			Adopt:      s.Apply.InventoryPolicy == adoptInventory,
			MayBeEmpty: s.EmptyConfig || s.Sources.Upstream.Path != "" || s.Sources.Upstream.Dir != "",
		}, nil
	}
	strategy, err := pkgmerge.StrategyNamed(called)
	if err != nil {
		err = fmt.Errorf("%s: %w, %s, %s", name("strategy"), err, applyName, serverSideName)
	}
	return strategy, err
}

// The names of the strategies that foresee an apply.
const (
	applyName      = "apply"
	serverSideName = "server-side-apply"
)

// isApply reports whether a strategy foresees an apply.
func isApply(s pkgmerge.Strategy) bool {
	_, is := s.(apply.Strategy)
	return is
}

// checkApply finds fields that contradict the strategy (rules/apply: the strategy
// apply; rules/apply: results of an apply; rules/apply: drift back into the package).
func (c Config) checkApply(strategy pkgmerge.Strategy, name fieldNames) error {
	from := c.Sources.Origin.From
	if from != "" && from != fromLastApplied && from != fromManagedFields {
		return fmt.Errorf("%s: %q is not allowed, allowed are %s, %s", name("sources.origin.from"), from, fromLastApplied, fromManagedFields)
	}
	for _, manager := range c.Apply.Adopt {
		if manager == "" {
			return fmt.Errorf("%s: %q is not allowed, allowed are names of managers", name("apply.adopt"), manager)
		}
	}
	if p, allowed := c.Apply.InventoryPolicy, InventoryPolicies(); p != "" && !slices.Contains(allowed, p) {
		return fmt.Errorf("%s: %q is not allowed, allowed are %s", name("apply.inventoryPolicy"), p, strings.Join(allowed, ", "))
	}
	if isApply(strategy) {
		return c.checkApplying(strategy, name)
	}
	if from != "" && strategy != nil {
		if err := c.checkFrom(strategy); err != nil {
			return fmt.Errorf("%s: %w", name("sources.origin.from"), err)
		}
	} else if from == fromManagedFields {
		return fmt.Errorf("%s: %q is not allowed, allowed is %s: managed fields do not tell what a lost field was", name("sources.origin.from"), from, fromLastApplied)
	}
	return c.checkUnused(name)
}

// checkUnused finds settings of apply under another strategy.
func (c Config) checkUnused(name fieldNames) error {
	fromLive, a := c.Sources.Origin.From != "", c.Apply
	const needs = "%s: %q is not allowed, allowed only with strategy %s"
	switch {
	case a.FieldManager != "":
		return fmt.Errorf(needs, name("apply.fieldManager"), a.FieldManager, "server-side-apply")
	case a.Force:
		return fmt.Errorf(needs, name("apply.force"), "true", "server-side-apply")
	case a.InventoryPolicy != "":
		return fmt.Errorf(needs, name("apply.inventoryPolicy"), a.InventoryPolicy, "apply or server-side-apply")
	case a.Adopt != nil && !fromLive:
		return fmt.Errorf(needs, name("apply.adopt"), strings.Join(a.Adopt, ", "), "resource-merge and sources.origin.from last-applied")
	case a.Namespace != "" && !fromLive:
		return fmt.Errorf(needs, name("apply.namespace"), a.Namespace, "apply or server-side-apply, or with sources.origin.from last-applied")
	}
	return nil
}

// checkFrom finds a strategy that cannot have an origin which is read from live objects.
func (c Config) checkFrom(strategy pkgmerge.Strategy) error {
	if strategy.Name() != (pkgmerge.ResourceMerge{}).Name() {
		return fmt.Errorf("%q is not allowed with strategy %s, allowed is no origin.from", c.Sources.Origin.From, strategy.Name())
	}
	if c.Sources.Origin.From != fromLastApplied {
		return fmt.Errorf("%q is not allowed with strategy %s, allowed is %s: managed fields do not tell what a lost field was", c.Sources.Origin.From, strategy.Name(), fromLastApplied)
	}
	return nil
}

// checkApplying finds what an apply strategy has no use for, or what would not be true
// of it.
func (c Config) checkApplying(strategy pkgmerge.Strategy, name fieldNames) error {
	serverSide := strategy.Name() == serverSideName
	with, origin := " with strategy "+c.Strategy, c.Sources.Origin
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
	case !serverSide && c.Apply.FieldManager != "":
		return fmt.Errorf(refused, name("apply.fieldManager"), c.Apply.FieldManager, with, "allowed is strategy server-side-apply")
	case !serverSide && c.Apply.Force:
		return fmt.Errorf(refused, name("apply.force"), "true", with, "allowed is strategy server-side-apply")
	case c.Apply.Adopt != nil:
		return fmt.Errorf(refused, name("apply.adopt"), strings.Join(c.Apply.Adopt, ", "), with, "allowed is strategy resource-merge")
	case len(c.Renames) > 0:
		return fmt.Errorf(refused, "renames", c.Renames[0].From, with, "a cluster knows a resource by its name")
	case serverSide && len(c.Lists) > 0:
		return fmt.Errorf(refused, "lists", c.Lists[0].Path, with, "the server knows the lists by its own schemas")
	case c.MergeComment != nil && *c.MergeComment:
		return fmt.Errorf(refused, name("mergeComment"), "true", with, "allowed is false: a live object has no comments")
	}
	return c.checkPreferences(name)
}

// checkPreferences finds a preference for what a server would not do: nobody can have it
// keep live's version (rules/apply: results of an apply).
func (c Config) checkPreferences(name fieldNames) error {
	const refused = "%s: %q is not allowed with strategy %s, allowed are %s, %s: the server would not keep live's value"
	lost := func(prefer string) bool { return prefer == preferLocal || prefer == preferUnion }
	if p := c.Conflicts.Prefer; lost(p) {
		return fmt.Errorf(refused, name("conflicts.prefer"), p, c.Strategy, preferUpstream, preferFail)
	}
	for i, r := range c.Conflicts.Rules {
		if lost(r.Prefer) {
			return fmt.Errorf(refused, fmt.Sprintf("conflicts.rules[%d].prefer", i), r.Prefer, c.Strategy, preferUpstream, preferFail)
		}
	}
	return nil
}
