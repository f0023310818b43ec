package merge

import "github.com/resource-merge/resource-merge/identity"

// Preference says what a collision comes to (design 5).
type Preference int

const (
	// PreferUpstream takes upstream's version.
	PreferUpstream Preference = iota
	// PreferLocal takes local's.
	PreferLocal
	// PreferUnion keeps of a list without keys what both sides added and drops
	// what either removed. Of everything else it takes upstream's.
	PreferUnion
	// PreferFail takes local's version, of a run that is going to fail.
	PreferFail
)

// Policy gives the preference for collisions at a path.
type Policy func(*Path) Preference

// Prefer is the policy that has one preference everywhere.
func Prefer(p Preference) Policy {
	return func(*Path) Preference { return p }
}

// Side is the side whose version a collision at a path takes, where it takes one
// side's.
func (p Policy) Side(path *Path) identity.Side {
	if preferred := p(path); preferred == PreferLocal || preferred == PreferFail {
		return local
	}
	return upstream
}
