package merge

import "github.com/resource-merge/resource-merge/identity"

// Preference says what a collision comes to (rules/conflicts: policies).
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
	// MarkUpstream and MarkLocal are for a merge that is run once for each of the two sides,
	// so that the results differ in what collides and nowhere else: there stands what the side
	// has, as a whole, or nothing where the side has nothing (rules/git: the commands).
	MarkUpstream
	MarkLocal
)

// Policy gives the preference for collisions at a path.
type Policy func(*Path) Preference

// Prefer is the policy that has one preference everywhere.
func Prefer(p Preference) Policy {
	return func(*Path) Preference { return p }
}

// Marks reports whether a collision at a path is to be marked: then no rule takes a
// side of its own.
func (p Policy) Marks(path *Path) bool {
	preferred := p(path)
	return preferred == MarkUpstream || preferred == MarkLocal
}

// Side is the side whose version a collision at a path takes, where it takes one
// side's.
func (p Policy) Side(path *Path) identity.Side {
	if preferred := p(path); preferred == PreferLocal || preferred == PreferFail || preferred == MarkLocal {
		return local
	}
	return upstream
}

// Verdict says what becomes of a resource, or of one element of it. The zero
// Verdict is an error, so that a case that nobody thought of is found.
type Verdict int

const (
	// Undecided is the zero Verdict.
	Undecided Verdict = iota
	// Drop: the result does not have it.
	Drop
	// TakeLocal and TakeUpstream: the result has that side's version.
	TakeLocal
	TakeUpstream
	// MergeParts: the parts are decided one by one.
	MergeParts

	// takeMade: the result has a value that is made of both sides' and has no parts.
	takeMade
)

// take is the verdict for side's version.
func take(side identity.Side) Verdict {
	if side == upstream {
		return TakeUpstream
	}
	return TakeLocal
}
