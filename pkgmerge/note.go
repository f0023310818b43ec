package pkgmerge

// note is what a Notice says of one resource.
type note struct {
	warning bool
	text    string
}
