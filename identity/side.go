package identity

// Side is one of the three versions of a package. Everything that exists three
// times is a [3]T indexed by it.
type Side int

const (
	// Origin is the common ancestor, where upstream and local both started.
	Origin Side = iota
	// Upstream is the new version of the package.
	Upstream
	// Local is the user's customised copy.
	Local
)

// Sides lists the three in the order in which they are indexed.
func Sides() [3]Side { return [3]Side{Origin, Upstream, Local} }

// String is the side's name as results and the function config spell it.
func (s Side) String() string {
	switch s {
	case Origin:
		return "origin"
	case Upstream:
		return "upstream"
	}
	return "local"
}
