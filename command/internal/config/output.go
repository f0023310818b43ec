package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// The outputs that a config may name; OutputMerged is the usual one (rules/patches: the
// output patches).
const (
	OutputMerged  = "merged"
	OutputPatches = "patches"
	OutputOverlay = "overlay"
)

// Outputs are the outputs that a config may name.
func Outputs() []string { return []string{OutputMerged, OutputPatches, OutputOverlay} }

// Patches are the settings of the output patches (rules/patches: the output patches).
type Patches struct {
	// Form is how the patches say what differs: auto, the default, is strategic for the kinds
	// of Kubernetes and merge for custom resources; json is one kustomize Component.
	Form string `json:"form"`
	// From is whose resources the patches apply to: local, the default, or upstream.
	From string `json:"from"`
	// Precondition has each patch apply only to the version of the object that was recorded,
	// under apply and server-side-apply; the default is false.
	Precondition bool `json:"precondition"`
}

// Overlay are the settings of the output overlay (rules/overlay: the output overlay).
type Overlay struct {
	// Base is what the overlay lists for its base: a directory, relative to local's, or a
	// remote target as kustomize writes it; the default is the directory of upstream, else of
	// origin.
	Base string `json:"base"`
}

// PatchForms are the forms that a config may name; the first is the usual one.
func PatchForms() (names []string) {
	for _, f := range patch.Forms() {
		names = append(names, string(f))
	}
	return names
}

// PatchSides are the sides that patches may apply to; the first is the usual one.
func PatchSides() []string { return []string{identity.Local.String(), identity.Upstream.String()} }

// Side is whose resources the patches apply to.
func (p Patches) Side() identity.Side {
	if p.From == identity.Upstream.String() {
		return identity.Upstream
	}
	return identity.Local
}

// Options say what the patches are like.
func (p Patches) Options() patch.Options {
	return patch.Options{Form: patch.Form(p.Form), Precondition: p.Precondition}
}

// With is p with other's settings where other has any.
func (p Patches) With(other Patches) Patches {
	return Patches{
		Form: cmp.Or(other.Form, p.Form), From: cmp.Or(other.From, p.From),
		Precondition: other.Precondition || p.Precondition,
	}
}

// checkOutput finds an output that there is not, and settings that contradict the output
// or do nothing with it (rules/patches: the output patches).
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
	applies := c.Strategy == applyName || c.Strategy == serverSideName
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
// (rules/overlay: the output overlay), and it needs an origin, and its base.
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
