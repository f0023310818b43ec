package pkgmerge

// FromLive says that upstream is live objects, of which each has origin in its annotation
// last-applied: what was changed in a cluster comes back into the package (design 13.6).
type FromLive struct {
	// Namespace is that of resources which name none; "" is default.
	Namespace string
	// Adopt are the managers whose fields are taken where origin has nothing.
	Adopt []string
}
