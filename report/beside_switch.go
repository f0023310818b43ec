package report

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// addedBesideSwitch reports whether a conflict is about a field that one side
// added and that does not go with what the other switched to: another member of
// the union, or an apiVersion without the field (design 3.7, 3.8).
func addedBesideSwitch(c merge.Conflict) bool {
	deleted := c.Kind == merge.UpstreamDeleted || c.Kind == merge.LocalDeleted
	return deleted && c.Path != nil && c.Values[identity.Origin] == nil
}

// besideSwitch says so, with the value if values says so.
func besideSwitch(c merge.Conflict, values bool) string {
	adder, other := identity.Local, identity.Upstream
	if c.Kind == merge.LocalDeleted {
		adder, other = other, adder
	}
	said := " added it"
	if values {
		said = " set it to " + excerpt(c.Values[adder], nil)
	}
	return adder.String() + said + ", which does not go with what " + other.String() + " switched to"
}
