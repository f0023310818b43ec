package merge

import "github.com/resource-merge/resource-merge/identity"

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
