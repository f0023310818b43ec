package config

import "cmp"

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
