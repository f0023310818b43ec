package pkgmerge

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Otherwise says of each of the resource's conflicts whether a rule for its path
// decides it for the other side than the one that was chosen (design 19). None does
// for some: a deletion stands whatever the policy, and so does a switch (design 3.7,
// 3.8). It is found by merging the resource once more.
func (c *Change) Otherwise() ([]bool, error) {
	out := make([]bool, len(c.Conflicts))
	if len(c.Conflicts) == 0 {
		return out, nil
	}
	if c.Conflicts[0].Path == nil && c.IsPackage() {
		out[0] = c.Conflicts[0].Kind == merge.UpstreamDeleted // design 7
		return out, nil
	}
	again := *c.Match
	again.policy = func() merge.Policy { return c.contrary }
	defer again.forget()
	outcome, err := c.merger.strategy.Merge(&again)
	if err != nil {
		return nil, err
	}
	chosen := map[disputed]identity.Side{}
	for _, conflict := range outcome.Conflicts {
		chosen[disputedIn(conflict)] = conflict.Chosen
	}
	for i, conflict := range c.Conflicts {
		side, found := chosen[disputedIn(conflict)]
		out[i] = found && side != conflict.Chosen
	}
	return out, nil
}

// disputed is what a conflict is about: a value, or a comment at it.
type disputed struct {
	path    string
	comment bool
}

func disputedIn(c merge.Conflict) disputed {
	return disputed{c.Path.String(), c.Kind == merge.CommentChanged}
}

// contrary is the policy that prefers the side that was not.
func (c *Change) contrary(at *merge.Path) merge.Preference {
	if c.policy().Side(at) == identity.Local {
		return merge.PreferUpstream
	}
	return merge.PreferLocal
}
