package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
)

// serving is one server-side apply of an object.
type serving struct {
	manager string
	// owner is M.
	owner managed.Owner
	// chosen is whose value an owned field has.
	chosen identity.Side
	// claims is what config says, and what M thereby owns.
	claims *managed.Set
	// leaving are the managers whose entries client-side apply left behind.
	leaving []string
}

// leaves reports whether an entry is one that client-side apply left behind.
func (r *serving) leaves(e *managed.Entry) bool {
	return e.Operation == managed.Update && e.Subresource == "" && slices.Contains(r.leaving, e.Manager)
}

// isMine reports whether an entry says what M owned before: M's own, and what is left of
// client-side apply in the same apiVersion (design 14, 6).
func (r *serving) isMine(e *managed.Entry) bool {
	return e.Same(r.owner) || r.leaves(e) && e.APIVersion == r.owner.APIVersion
}
