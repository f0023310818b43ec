package merge

import "github.com/resource-merge/resource-merge/identity"

// Preference says how a policy resolves conflicts (rules/conflicts: policies).
type Preference int

const (
	// PreferUpstream takes upstream's version.
	PreferUpstream Preference = iota
	// PreferLocal takes local's.
	PreferLocal
	// PreferUnion keeps the additions and removals of both sides in a list without keys. Everything else is
	// upstream's.
	PreferUnion
	// PreferFail takes local's version, in a run that is going to fail.
	PreferFail
	// MarkUpstream and MarkLocal are for merging twice, once for each side, so that the results differ in the
	// conflicts alone: a conflict has the side's whole value, or nothing if the side has none (rules/git: the
	// commands).
	MarkUpstream
	MarkLocal

	// PreferNewest takes the newer of two versions (rules/conflicts: newest). It takes upstream's version of everything
	// else, or decides it as another preference that is added to it with |.
	PreferNewest Preference = 1 << 4
)

// Policy returns the preference for conflicts at a path.
type Policy func(*Path) Preference

// Prefer returns a policy with one preference for all paths.
func Prefer(p Preference) Policy {
	return func(*Path) Preference { return p }
}

// otherwise returns the preference for everything but versions.
func (p Policy) otherwise(path *Path) Preference { return p(path) &^ PreferNewest }

// Fails reports whether a conflict at a path fails the run.
func (p Policy) Fails(path *Path) bool { return p.otherwise(path) == PreferFail }

// withoutNewest returns a policy that does not compare versions.
func (p Policy) withoutNewest() Policy { return p.otherwise }

// Marks reports whether conflicts at a path are for markers. Then no rule takes a side by itself.
func (p Policy) Marks(path *Path) bool {
	preferred := p.otherwise(path)
	return preferred == MarkUpstream || preferred == MarkLocal
}

// Side returns the side that wins conflicts at a path, where one side wins.
func (p Policy) Side(path *Path) identity.Side {
	if preferred := p.otherwise(path); preferred == PreferLocal || preferred == PreferFail || preferred == MarkLocal {
		return local
	}
	return upstream
}

// Verdict is the decision about a resource or an element of it. The zero Verdict is an error, so that no case
// is forgotten.
type Verdict int

const (
	undecided Verdict = iota
	// Drop removes it from the result.
	Drop
	// TakeLocal and TakeUpstream take that side's version.
	TakeLocal
	TakeUpstream
	// MergeParts merges it field by field or element by element.
	MergeParts

	// takeMade takes a value that was made of both sides'.
	takeMade
)

// take returns the verdict for a side's version.
func take(side identity.Side) Verdict {
	if side == upstream {
		return TakeUpstream
	}
	return TakeLocal
}
