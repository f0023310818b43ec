package config

import (
	"cmp"
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// The outputs that a config may name; OutputMerged is the default (rules/patches: the output patches).
const (
	OutputMerged  = "merged"
	OutputPatches = "patches"
	OutputOverlay = "overlay"
)

// Patches are the settings of the output patches (rules/patches: the output patches).
type Patches struct {
	// Form is the form of the patches: auto, the default, is strategic for the kinds of Kubernetes
	// and merge for custom resources; json is one kustomize Component.
	Form string `json:"form"`
	// From is the side to which the patches apply: local, the default, or upstream.
	From string `json:"from"`
	// Precondition lets each patch apply only to the recorded version of the object, under apply and
	// server-side-apply; the default is false.
	Precondition bool `json:"precondition"`
}

// Overlay are the settings of the output overlay (rules/overlay: the output overlay).
type Overlay struct {
	// Base is the overlay's entry for its base: a directory, relative to local's, or a remote target
	// as kustomize writes it; the default is the directory of upstream, else of origin.
	Base string `json:"base"`
}

// PatchForms returns the forms that a config may name, the default first.
func PatchForms() (names []string) {
	for _, f := range patch.Forms() {
		names = append(names, string(f))
	}
	return names
}

// PatchSides returns the sides that patches may apply to, the default first.
func PatchSides() []string { return []string{identity.Local.String(), identity.Upstream.String()} }

// Side returns the side whose resources the patches apply to.
func (p Patches) Side() identity.Side {
	if p.From == identity.Upstream.String() {
		return identity.Upstream
	}
	return identity.Local
}

// Options returns the options of the patches.
func (p Patches) Options() patch.Options {
	return patch.Options{Form: patch.Form(p.Form), Precondition: p.Precondition}
}

// With returns p with the settings that other has.
func (p Patches) With(other Patches) Patches {
	return Patches{
		Form: cmp.Or(other.Form, p.Form), From: cmp.Or(other.From, p.From),
		Precondition: other.Precondition || p.Precondition,
	}
}

// checkOutput returns an error for an unknown output, and for settings that contradict the output or have
// no effect on it (rules/patches: the output patches).
func (c Config) checkOutput(name fieldNames) error {
	const needs = ", allowed only with output "
	p, patches := c.Patches, c.Output == OutputPatches
	all := []contradiction{
		notAmong("output", c.Output, []string{OutputMerged, OutputPatches, OutputOverlay}),
		notAmong("patches.form", p.Form, PatchForms()),
		notAmong("patches.from", p.From, PatchSides()),
		{c.Overlay.Base != "" && c.Output != OutputOverlay, "overlay.base", c.Overlay.Base, needs + OutputOverlay},
		{!patches && p.Form != "", "patches.form", p.Form, needs + OutputPatches},
		{!patches && p.From != "", "patches.from", p.From, needs + OutputPatches},
		{!patches && p.Precondition, "patches.precondition", "true", needs + OutputPatches},
	}
	switch c.Output {
	case OutputPatches:
		all = append(all, c.unusedByPatches()...)
	case OutputOverlay:
		all = append(all, c.unusedByOverlay()...)
	}
	return name.check(all...)
}

// unusedByPatches finds settings that patches do not use. Only a live object has a version for a precondition.
func (c Config) unusedByPatches() []contradiction {
	const live = ": only a live object has a version"
	applies := c.Strategy == applyName || c.Strategy == serverSideName
	return []contradiction{
		{c.Patches.Precondition && !applies, "patches.precondition", "true", " but with strategy apply or server-side-apply" + live},
		{c.Patches.Precondition && c.Patches.Side() == identity.Upstream, "patches.precondition", "true", " with patches from upstream" + live},
		{c.hasMergeComments(), "mergeComment", "true", " with output patches: a patch has no merge comment"},
	}
}

// unusedByOverlay finds settings that an overlay does not use: it is the merge that prefers local
// (rules/overlay: the output overlay), and it needs an origin, and its base.
func (c Config) unusedByOverlay() (all []contradiction) {
	const prefers = ": an overlay has your side of each conflict"
	origin, usual := c.Sources.Origin, pkgmerge.ResourceMerge{}.Name()
	all = append(all, contradiction{c.Strategy != "" && c.Strategy != usual, "strategy", c.Strategy, ", allowed is " + usual},
		contradiction{c.Conflicts.Prefer != "" && c.Conflicts.Prefer != preferLocal, "conflicts.prefer", c.Conflicts.Prefer, prefers})
	for i, r := range c.Conflicts.Rules {
		all = append(all, contradiction{true, fmt.Sprintf("conflicts.rules[%d].prefer", i), r.Prefer, prefers})
	}
	all = append(all, contradiction{origin.None, "sources.origin.none", "true", ": only origin shows the changes of local"},
		contradiction{origin.From != "", "sources.origin.from", origin.From, ": a live object is not a package"},
		contradiction{c.hasMergeComments(), "mergeComment", "true", ": a patch has no merge comment"},
		contradiction{c.Sources.Keep != nil && !*c.Sources.Keep && c.Overlay.Base == "", "sources.keep", "false", " without overlay.base: the overlay's base would go"})
	for i := range all {
		all[i].rule = " with output overlay" + all[i].rule
	}
	return all
}
