package config

import (
	"cmp"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/patch"
)

// The outputs that a config may name; OutputMerged is the usual one (design 16).
const (
	OutputMerged  = "merged"
	OutputPatches = "patches"
	OutputOverlay = "overlay"
)

// Outputs are the outputs that a config may name.
func Outputs() []string { return []string{OutputMerged, OutputPatches, OutputOverlay} }

// Patches are the settings of the output patches (design 16).
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

// Overlay are the settings of the output overlay (design 16.5).
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
