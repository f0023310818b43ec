package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Action is what the merge did to a resource of local's package.
type Action int

const (
	// Absent: the resource was not there and still is not.
	Absent Action = iota
	// Unchanged: local's version stays.
	Unchanged
	// Changed: the result has another version, or has it in another file.
	Changed
	// Added: the resource was not there.
	Added
	// Deleted: the resource is not there any more.
	Deleted
)

// Change is what became of one resource.
type Change struct {
	*Match
	Action Action
	// Result is the resource as the merged package has it, nil if that has none.
	Result *Resource
	// Moved says that the resource is in another file than in local's package,
	// because upstream moved it.
	Moved     bool
	Conflicts []merge.Conflict
	Remarks   []merge.Remark

	merger *merger
	// part is what the resource was made of if it is an item of a List: the List's text is made
	// of it.
	part parts.Part
	// list is the List, as the result has it, that the resource is an item of; nil if it
	// stands alone.
	list *Resource
	// file is what messages call the resource's file; of a deleted one, the file
	// where it was.
	file string
	// line is the number that the resource's first line has in its file, from 1; 0 if
	// that is not known.
	line int
	// notes are about the resource alone.
	notes []note
	// mentions is what the resource refers to; of one that is unchanged it is found
	// when it is needed.
	mentions []mention
	// servings is what the versions say of ports, unless the resource is unchanged.
	servings servings
	// looked says that mentions and servings are known.
	looked bool
}

// stays reports whether the resource was in local's package and still is.
func (c *Change) stays() bool { return c.Action == Unchanged || c.Action == Changed }

// present reports whether the result has the resource.
func (c *Change) present() bool { return c.Result != nil }

// called is what the result calls the resource, the zero Meta if it lacks it.
func (c *Change) called() identity.Meta {
	if c.Result == nil {
		return identity.Meta{}
	}
	return c.Result.Meta
}

// Collisions are the paths at which values of the resource collide; comments that do stand
// beside a value that need not.
func (c *Change) Collisions() []*merge.Path {
	var paths []*merge.Path
	for _, conflict := range c.Conflicts {
		if conflict.Kind != merge.CommentChanged {
			paths = append(paths, conflict.Path)
		}
	}
	return paths
}

// Newest is the version by whose names and file the user knows the resource: of one that upstream
// adds and that follows local, the result.
func (c *Change) Newest() *Resource {
	if c.Action == Added && c.follows && c.Result != nil {
		return c.Result
	}
	return c.Match.Newest()
}

// Member is the resource that a conflict on a whole package is about, nil for
// other conflicts.
func (c *Change) Member() *Resource { return c.differing }

// IsPackage reports whether a conflict without a path is about the package that
// the resource, a Kptfile, describes.
func (c *Change) IsPackage() bool { return c.Package() != "." && c.Newest().isKptfile() }

// Fails reports whether a conflict of the resource is to fail the run.
//
// What a server refuses fails whatever the policy says, and so does a field of another
// manager's that is not taken by force (rules/apply: refused objects;
// rules/server-side-apply: refused configs).
func (c *Change) Fails(conflict merge.Conflict) bool {
	switch conflict.Kind {
	case merge.Refused:
		return true
	case merge.Owned:
		return conflict.Chosen == identity.Local
	}
	return c.policy()(conflict.Path) == merge.PreferFail
}

// Marks reports whether a conflict of the resource is to be marked in its file
// (rules/git: markers).
func (c *Change) Marks(conflict merge.Conflict) bool { return c.policy().Marks(conflict.Path) }

// Unmark says that a conflict of the resource, which was to be marked, cannot be (rules/git:
// markers): the version stays that the rule for it took.
func (c *Change) Unmark(conflict merge.Conflict) {
	match, before, at := *c.Match, c.policy, conflict.Path.String()
	match.policy = func() merge.Policy {
		return func(path *merge.Path) merge.Preference {
			preferred := before()(path)
			if merge.Prefer(preferred).Marks(path) && path.String() == at {
				return merge.PreferLocal
			}
			return preferred
		}
	}
	c.Match = &match
}

// List is the List, as the result has it, of which the resource is an item; nil if it
// stands alone.
func (c *Change) List() *Resource { return c.list }

// File is what messages and results call the resource's file.
func (c *Change) File() string { return c.file }

// MayHoldSecret reports whether the value at a path of the resource, in any version, may hold a
// secret, so that no report may show it (rules/reports: secrets): in a Secret, in what makes
// one, and in a value that has the manifest of one in it. The nil path is the whole resource.
func (c *Change) MayHoldSecret(p *merge.Path) bool { return c.merger.secrets.mayHold(c, p) }

// Index is the resource's place in its file; of a deleted one, where it was.
func (c *Change) Index() int {
	if c.Result != nil {
		return c.Result.Index
	}
	return c.Newest().Index
}

// Differences lists in which fields the resource of the merged package differs from a
// side's version (rules/reports: the ledger): lists are matched by their keys, and
// bookkeeping does not count. A Kptfile's fields that belong to the copy do not count
// either (rules/kptfiles: Kptfiles). Where one of the two is absent, that is the one
// difference.
func (c *Change) Differences(side identity.Side) ([]merge.Difference, error) {
	if c.sameAs(side) {
		return nil, nil
	}
	defer c.forget()
	trees, err := kptfileTrees(c.Match)
	if err != nil {
		return nil, err
	}
	result, err := c.resultTree(trees)
	if err != nil {
		return nil, err
	}
	if trees, err = c.asItIs(trees); err != nil {
		return nil, err
	}
	return merge.Differences(trees[side], result, c.kind(trees))
}

// sameAs reports whether the texts alone tell that the result is a side's version.
func (c *Change) sameAs(side identity.Side) bool {
	return c.Action == Unchanged && c.SameText(side, identity.Local)
}

// resultTree is the resource of the merged package without bookkeeping, nil if
// that lacks it.
func (c *Change) resultTree(trees [3]*yaml.Node) (*yaml.Node, error) {
	switch {
	case c.Result == nil:
		return nil, nil
	case c.Action == Unchanged:
		return trees[identity.Local], nil
	}
	tree, err := c.Result.Tree()
	if err != nil {
		return nil, err
	}
	return yamlnode.WithoutAnnotations(tree, c.isBookkeeping), nil
}

// Contents are the versions of the resource and the one of the merged package, nil where
// there is none, without bookkeeping. They must not be altered.
func (c *Change) Contents() (versions [3]*yaml.Node, result *yaml.Node, err error) {
	defer c.forget()
	if versions, err = c.Trees(); err != nil {
		return versions, nil, err
	}
	if result, err = c.resultTree(versions); err != nil {
		return versions, nil, err
	}
	versions, err = c.asItIs(versions)
	return versions, result, err
}

// Otherwise says of each of the resource's conflicts whether a rule for its path
// decides it for the other side than the one that was chosen (rules/reports: deciding
// rules). None does for some: a deletion stands whatever the policy, and so does a
// switch (rules/unions: switches; rules/resources: additions and deletions). It is
// found by merging the resource once more.
func (c *Change) Otherwise() ([]bool, error) {
	out := make([]bool, len(c.Conflicts))
	if len(c.Conflicts) == 0 {
		return out, nil
	}
	if c.Conflicts[0].Path == nil && c.IsPackage() {
		out[0] = c.Conflicts[0].Kind == merge.UpstreamDeleted // rules/kptfiles: Kptfiles
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
