package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// checkOutput finds an output that there is not, and settings that contradict the output
// or do nothing with it (design 16).
func (c Config) checkOutput(name fieldNames) error {
	for _, f := range [3]struct {
		field, value string
		allowed      []string
	}{
		{"output", c.Output, Outputs()}, {"patches.form", c.Patches.Form, PatchForms()}, {"patches.from", c.Patches.From, PatchSides()},
	} {
		if f.value != "" && !slices.Contains(f.allowed, f.value) {
			return fmt.Errorf("%s: %q is not allowed, allowed are %s", name(f.field), f.value, strings.Join(f.allowed, ", "))
		}
	}
	const needs = "%s: %q is not allowed, allowed only with output %s"
	if base := c.Overlay.Base; base != "" && c.Output != OutputOverlay {
		return fmt.Errorf(needs, name("overlay.base"), base, OutputOverlay)
	}
	switch p := c.Patches; {
	case c.Output == OutputPatches:
		return c.checkPatches(name)
	case p.Form != "":
		return fmt.Errorf(needs, name("patches.form"), p.Form, OutputPatches)
	case p.From != "":
		return fmt.Errorf(needs, name("patches.from"), p.From, OutputPatches)
	case p.Precondition:
		return fmt.Errorf(needs, name("patches.precondition"), "true", OutputPatches)
	case c.Output == OutputOverlay:
		return c.checkOverlay(name)
	}
	return nil
}

// checkPatches finds what patches have no use for. Only a live object has a version for a
// precondition.
func (c Config) checkPatches(name fieldNames) error {
	applies := c.Strategy == pkgmerge.Apply{}.Name() || c.Strategy == pkgmerge.ServerSideApply{}.Name()
	const refused = "%s: %q is not allowed %s"
	switch {
	case c.Patches.Precondition && !applies:
		return fmt.Errorf(refused, name("patches.precondition"), "true", "but with strategy apply or server-side-apply: only a live object has a version")
	case c.Patches.Precondition && c.Patches.Side() == identity.Upstream:
		return fmt.Errorf(refused, name("patches.precondition"), "true", "with patches from upstream: only a live object has a version")
	case c.MergeComment != nil && *c.MergeComment:
		return fmt.Errorf(refused, name("mergeComment"), "true", "with output patches: a patch has no merge comment")
	}
	return nil
}

// checkOverlay finds what an overlay has no use for: it is the merge that prefers local
// (design 16.5), and it needs an origin, and its base.
func (c Config) checkOverlay(name fieldNames) error {
	const refused, prefers = "%s: %q is not allowed with output overlay%s", ": an overlay has local's side of each conflict"
	origin := c.Sources.Origin
	switch {
	case c.Strategy != "" && c.Strategy != pkgmerge.ResourceMerge{}.Name():
		return fmt.Errorf(refused, name("strategy"), c.Strategy, ", allowed is "+pkgmerge.ResourceMerge{}.Name())
	case c.Conflicts.Prefer != "" && c.Conflicts.Prefer != preferLocal:
		return fmt.Errorf(refused, name("conflicts.prefer"), c.Conflicts.Prefer, prefers)
	case len(c.Conflicts.Rules) > 0:
		return fmt.Errorf(refused, "conflicts.rules[0].prefer", c.Conflicts.Rules[0].Prefer, prefers)
	case origin.None:
		return fmt.Errorf(refused, name("sources.origin.none"), "true", ": origin tells what local changed")
	case origin.From != "":
		return fmt.Errorf(refused, name("sources.origin.from"), origin.From, ": a live object is no package")
	case c.MergeComment != nil && *c.MergeComment:
		return fmt.Errorf(refused, name("mergeComment"), "true", ": a patch has no merge comment")
	case c.Sources.Keep != nil && !*c.Sources.Keep && c.Overlay.Base == "":
		return fmt.Errorf(refused, name("sources.keep"), "false", " without overlay.base: the overlay's base would go")
	}
	return nil
}
