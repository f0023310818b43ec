package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Apply are the settings of the strategies apply and server-side-apply, and of resource-merge with an
// origin from live objects (rules/apply: the strategy apply).
type Apply struct {
	// Namespace is the namespace of config without one; the default is default.
	Namespace string `json:"namespace"`
	// FieldManager is the manager that applies, under server-side-apply; the default is kubectl.
	FieldManager string `json:"fieldManager"`
	// Force takes fields from other managers, under server-side-apply; the default is false.
	Force bool `json:"force"`
	// InventoryPolicy limits the live objects that a package with an inventory may take: strict, the
	// default, only its own; adopt, also objects of no inventory.
	InventoryPolicy string `json:"inventoryPolicy"`
	// WithoutOwners lets conflicts that fail the run pass live objects without managedFields; the default is false.
	WithoutOwners bool `json:"withoutOwners"`
	// Adopt are the managers whose fields are taken from live objects into the package, under resource-merge with an
	// origin from last-applied; the default is kubectl and its subcommands that edit.
	Adopt []string `json:"adopt"`
}

// With returns a with the settings that other has.
func (a Apply) With(other Apply) Apply {
	return Apply{
		Namespace:    cmp.Or(other.Namespace, a.Namespace),
		FieldManager: cmp.Or(other.FieldManager, a.FieldManager),
		Force:        other.Force || a.Force,

		WithoutOwners:   other.WithoutOwners || a.WithoutOwners,
		InventoryPolicy: cmp.Or(other.InventoryPolicy, a.InventoryPolicy),
		Adopt:           a.Adopt,
	}
}

const (
	strictInventory = "strict"
	adoptInventory  = "adopt"
)

// InventoryPolicies returns the policies that a config may name, the default first.
func InventoryPolicies() []string { return []string{strictInventory, adoptInventory} }

func (a Apply) namespace() string { return cmp.Or(a.Namespace, "default") }

func (a Apply) adopt() []string {
	if a.Adopt != nil {
		return a.Adopt
	}
	return []string{"kubectl", "kubectl-edit", "kubectl-patch", "kubectl-replace", "kubectl-set", "kubectl-label", "kubectl-annotate"}
}

// namespacePattern is the form of a namespace's name, a DNS label, or "" for none.
const namespacePattern = `^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$`

// isNamespace reports whether a namespace may have a name, or none is given.
func isNamespace(name string) bool { return regexp.MustCompile(namespacePattern).MatchString(name) }

const (
	// FromLastApplied is the origin that is read from the configuration that was applied last.
	FromLastApplied   = "last-applied"
	fromManagedFields = "managed-fields"
)

// strategyNamed returns a strategy by its name, nil if the name is "".
func (s Settings) strategyNamed(called string, name fieldNames) (pkgmerge.Strategy, error) {
	switch called {
	case "":
		return nil, nil
	case applyName, serverSideName:
		return apply.Strategy{
			ServerSide: called == serverSideName, Namespace: s.Apply.namespace(), Manager: s.Apply.FieldManager, Force: s.Apply.Force,
			Adopt:        s.Apply.InventoryPolicy == adoptInventory,
			OneNamespace: s.OneNamespace, WithoutOwners: s.Apply.WithoutOwners,
			MayBeEmpty: s.EmptyConfig || s.Sources.Upstream.Path != "" || s.Sources.Upstream.Dir != "",
		}, nil
	}
	for _, s := range pkgmerge.Strategies() {
		if s.Name() == called {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s: %q is not allowed, %s", name("strategy"), called, wording.Allowed(called, allStrategies()))
}

// MergeStrategies returns the names of the strategies that merge versions.
func MergeStrategies() (names []string) {
	for _, s := range pkgmerge.Strategies() {
		names = append(names, s.Name())
	}
	return names
}

// allStrategies returns the names of the strategies that a config may have.
func allStrategies() []string { return append(MergeStrategies(), applyName, serverSideName) }

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

// checkApply returns an error for fields that contradict the strategy (rules/apply: the strategy
// apply; rules/apply: results of an apply; rules/apply: drift back into the package).
func (c Config) checkApply(strategy pkgmerge.Strategy, name fieldNames) error {
	err := name.check(
		notAmong("sources.origin.from", c.Sources.Origin.From, []string{FromLastApplied, fromManagedFields}),
		contradiction{slices.Contains(c.Apply.Adopt, ""), "apply.adopt", "", ", allowed are names of managers"},
		notAmong("apply.inventoryPolicy", c.Apply.InventoryPolicy, InventoryPolicies()),
		contradiction{!isNamespace(c.Apply.Namespace), "apply.namespace", c.Apply.Namespace, ", allowed is the name of a namespace, of up to 63 lower case letters, digits and -"},
	)
	switch {
	case err != nil:
		return err
	case isApply(strategy):
		return c.checkApplying(strategy, name)
	}
	if err := c.checkFrom(strategy); err != nil {
		return fmt.Errorf("%s: %w", name("sources.origin.from"), err)
	}
	const needs = ", allowed only with strategy "
	fromLive, a := c.Sources.Origin.From != "", c.Apply
	return name.check(
		contradiction{a.FieldManager != "", "apply.fieldManager", a.FieldManager, needs + "server-side-apply"},
		contradiction{a.Force, "apply.force", "true", needs + "server-side-apply"},
		contradiction{a.InventoryPolicy != "", "apply.inventoryPolicy", a.InventoryPolicy, needs + "apply or server-side-apply"},
		contradiction{a.WithoutOwners, "apply.withoutOwners", "true", needs + "apply or server-side-apply"},
		contradiction{a.Adopt != nil && !fromLive, "apply.adopt", strings.Join(a.Adopt, ", "), needs + "resource-merge and sources.origin.from last-applied"},
		contradiction{a.Namespace != "" && !fromLive, "apply.namespace", a.Namespace, needs + "apply or server-side-apply, or with sources.origin.from last-applied"},
	)
}

// checkFrom returns an error if a strategy, nil for the default, cannot read origin from live objects.
func (c Config) checkFrom(strategy pkgmerge.Strategy) error {
	from, with := c.Sources.Origin.From, ""
	if strategy != nil {
		with = " with strategy " + strategy.Name()
	}
	switch {
	case from == "":
	case strategy != nil && strategy.Name() != pkgmerge.ResourceMerge{}.Name():
		return fmt.Errorf("%q is not allowed%s, remove origin.from", from, with)
	case from != FromLastApplied:
		return fmt.Errorf("%q is not allowed%s, allowed is %s: managed fields have no values", from, with, FromLastApplied)
	}
	return nil
}

// checkApplying returns an error for fields that a strategy of apply does not use, or cannot obey.
func (c Config) checkApplying(strategy pkgmerge.Strategy, name fieldNames) error {
	serverSide := strategy.Name() == serverSideName
	with, origin := " with strategy "+c.Strategy+", ", c.Sources.Origin
	wanted := FromLastApplied
	if serverSide {
		wanted = fromManagedFields
	}
	const live = "origin is read from each live object"
	all := []contradiction{
		{origin.From != "" && origin.From != wanted, "sources.origin.from", origin.From, with + "allowed is " + wanted},
		{origin.None, "sources.origin.none", "true", with + live},
		{origin.Path != "", "sources.origin.path", origin.Path, with + live},
		{origin.Dir != "", "sources.origin.dir", origin.Dir, with + live},
		{!serverSide && c.Apply.FieldManager != "", "apply.fieldManager", c.Apply.FieldManager, with + "allowed is strategy server-side-apply"},
		{!serverSide && c.Apply.Force, "apply.force", "true", with + "allowed is strategy server-side-apply"},
		{c.Apply.Adopt != nil, "apply.adopt", strings.Join(c.Apply.Adopt, ", "), with + "allowed is strategy resource-merge"},
	}
	for _, r := range c.Renames {
		all = append(all, contradiction{true, "renames", r.From, with + "a cluster knows a resource by its name"})
	}
	for _, l := range c.Lists {
		all = append(all, contradiction{serverSide, "lists", l.Path, with + "the server knows the lists by its own schemas"})
	}
	all = append(all, contradiction{c.hasMergeComments(), "mergeComment", "true", with + "allowed is false: a live object has no comments"})
	return name.check(append(all, c.ignoredPreferences()...)...)
}

// ignoredPreferences finds preferences for live's version, which a server would not keep (rules/apply:
// results of an apply).
func (c Config) ignoredPreferences() (all []contradiction) {
	add := func(field, prefer string) {
		all = append(all, contradiction{prefer == preferLocal || prefer == preferUnion || prefer == preferNewest, field, prefer, " with strategy " + c.Strategy +
			", allowed are " + preferUpstream + ", " + preferFail + ": the server would not keep live's value"})
	}
	add("conflicts.prefer", c.Conflicts.Prefer)
	for i, r := range c.Conflicts.Rules {
		add(fmt.Sprintf("conflicts.rules[%d].prefer", i), r.Prefer)
	}
	return all
}
