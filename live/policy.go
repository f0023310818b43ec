package live

// Policy says which live objects a package may take (design 15.2).
type Policy int

const (
	// Strict takes only what belongs to the package's own inventory.
	Strict Policy = iota
	// Adopt takes what belongs to no inventory too.
	Adopt
)
