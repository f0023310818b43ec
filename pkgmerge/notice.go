package pkgmerge

// Notice is a sentence about something that is no conflict (design 5).
type Notice struct {
	// Warning says that somebody should have a look; another notice informs.
	Warning bool
	// Change is what the notice is about, nil if it is about Resource, or about the
	// package.
	Change *Change
	// Resource is a version of a resource that cannot be used as it is, nil if the
	// notice is about something else.
	Resource *Resource
	// Path is that of a field of Resource.
	Path string
	// File is a file of no resource that the notice is about, "" if the notice is
	// about something else.
	File string
	Text string
}
