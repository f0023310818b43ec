package identity

// Move says that local replaced a namespace: resources that origin has in From
// are in To in local's version (design 2).
type Move struct {
	// From is the namespace by upstream's names, To is local's. Either may be "", for
	// resources that name no namespace.
	From, To string
	// Moved counts the resources of origin's that made this move, and Others those of
	// From that local has in another namespace, such as From itself. Namespace objects
	// and resources of cluster-scoped kinds do not count.
	Moved, Others int
	// Object says that local renamed the Namespace object From to To.
	Object bool
	// Inhabited says that local still has a resource in From, if only one of its own.
	Inhabited bool
}

// isMostly reports whether most of what local has of From is in To.
func (m Move) isMostly() bool { return m.Moved > m.Others }

// IsWhole reports whether local has replaced From altogether: something of it is in
// To, and nothing is anywhere else.
func (m Move) IsWhole() bool {
	return (m.Moved > 0 || m.Object) && m.Others == 0 && !m.Inhabited
}

// isCertain reports whether local has replaced From altogether, and more than one
// resource or the Namespace object says so.
func (m Move) isCertain() bool { return m.IsWhole() && (m.Moved > 1 || m.Object) }
