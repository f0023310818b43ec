package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

const (
	origin   = identity.Origin
	upstream = identity.Upstream
	local    = identity.Local
)

func otherSide(side identity.Side) identity.Side {
	if side == upstream {
		return local
	}
	return upstream
}

func onlyOn(versions [3]*yaml.Node, only identity.Side) bool {
	for _, side := range identity.Sides() {
		if (versions[side] != nil) != (side == only) {
			return false
		}
	}
	return true
}
