package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Kind is the kind of a conflict (design 5).
type Kind string

const (
	// BothChanged: both sides changed a value, differently.
	BothChanged Kind = "both-changed"
	// UpstreamDeleted: upstream deleted what local changed.
	UpstreamDeleted Kind = "upstream-deleted"
	// LocalDeleted: local deleted what upstream changed.
	LocalDeleted Kind = "local-deleted"
	// KindChanged: both sides changed a value and it is now a map, a list or a
	// scalar on one and another of these on the other.
	KindChanged Kind = "kind-changed"
	// Order: both sides reordered a list map, differently.
	Order Kind = "order"
	// DuplicateKey: both sides changed elements of a list map that no key
	// tells apart.
	DuplicateKey Kind = "duplicate-key"
	// CommentChanged: both sides changed a comment, differently. Values are the comments'
	// texts, as strings.
	CommentChanged Kind = "comment-changed"
	// Drift: an apply takes away what somebody else wrote into the cluster (design 13.2).
	Drift Kind = "drift"
	// Owned: a server-side apply sets a field that another manager owns (14).
	Owned Kind = "owned"
	// Refused: the server would refuse the result of an apply (13.4).
	Refused Kind = "refused"
)

// Conflict is one collision between upstream's and local's changes. It is
// data; the text that a user reads is made elsewhere.
type Conflict struct {
	Kind Kind
	Path *Path
	// Values are the three versions, nil where absent.
	Values [3]*yaml.Node
	// Chosen is the side whose version the result has.
	Chosen identity.Side
	// Part is what of the value the result has of the chosen side where that is not
	// all of it: NamePart or TagPart of an image, ImagePart of a map, LinesPart of a string, or ElementsPart of a
	// list, else "".
	Part string
	// Reason says why a server refuses the result, or why elements that a cluster has stay,
	// as the end of a sentence; only of what an apply does.
	Reason string
	// Managers are those who own the field live, as kubectl names them (14).
	Managers []string
}

// deletedBy is the kind of a conflict about what side deleted.
func deletedBy(side identity.Side) Kind {
	if side == upstream {
		return UpstreamDeleted
	}
	return LocalDeleted
}
