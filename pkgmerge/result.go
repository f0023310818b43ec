package pkgmerge

import (
	"iter"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Result is the result of a merge.
type Result struct {
	// Changes are all resources of all sides: local's in local's order, then upstream's and origin's.
	Changes []*Change
	// Merged are the changes of the resources in the merged package, in its order.
	Merged []*Change
	// FileChanges are the files of all sides that do not merge by structure, sorted by name, if the
	// packages were made by NewPackage.
	FileChanges []*FileChange
	// Notices are about things that are no conflicts and that the user should know.
	Notices []Notice
	// Run is the run of the Driver, nil without one.
	Run Run
	// IdleRules are the rules of the policy, if that is Rules, that matched nothing.
	IdleRules []IdleRule
	// IdleRenames and IdleLists are the indices of Options' renames and lists that matched nothing.
	IdleRenames, IdleLists []int

	// ofFiles reports whether the result has files, which are sorted by name.
	ofFiles bool
	files   []File
	// versions are the packages that were merged.
	versions [3]Package
	finder   *lineFinder
}

// Collision is a conflict of a result, with the resource or the file that it is about.
type Collision struct {
	merge.Conflict
	// Change is the resource, nil for a file without resources, which is File then.
	Change *Change
	File   *FileChange
}

// Subject names the resource or the file.
func (c Collision) Subject() string {
	if c.File != nil {
		return c.File.Name
	}
	return c.Change.ID.String()
}

// Fails reports whether the conflict fails the run.
func (c Collision) Fails() bool {
	if c.File != nil {
		return c.File.Fails()
	}
	return c.Change.Fails(c.Conflict)
}

// Conflicts returns all conflicts of the result: those of the resources, and then those of files that are merged as texts
// or whole.
func (r *Result) Conflicts() iter.Seq[Collision] {
	return func(yield func(Collision) bool) {
		for _, c := range r.Changes {
			for _, conflict := range c.Conflicts {
				if !yield(Collision{Conflict: conflict, Change: c}) {
					return
				}
			}
		}
		for _, f := range r.FileChanges {
			for _, conflict := range f.Conflicts {
				if !yield(Collision{Conflict: conflict, File: f}) {
					return
				}
			}
		}
	}
}

// FirstFailing names the first resource or file with a conflict that fails the run because the policy
// prefers neither side (rules/conflicts: policies), "" if there is none.
func (r *Result) FirstFailing() string {
	for _, c := range r.Changes {
		if slices.ContainsFunc(c.Conflicts, c.Fails) {
			return c.Newest().String()
		}
	}
	for _, c := range r.FileChanges {
		if c.Fails() {
			return c.Name
		}
	}
	return ""
}

// Package returns the merged package.
func (r *Result) Package() Package {
	var p Package
	for _, c := range r.Merged {
		p.Resources = append(p.Resources, c.Result)
	}
	return p
}

// lineFinder finds fields in the texts of resources. It keeps the last ones.
type lineFinder struct {
	mutex sync.Mutex
	// recent are the resources searched last: a report alternates between the merged resource and local's.
	recent [2]foundLines
}

// foundLines finds the lines of fields of a resource.
type foundLines struct {
	resource *Resource
	finder   *merge.Finder
}

// find returns the line of a field in the text of its resource, 0 if that cannot be read.
func (l *lineFinder) find(r *Resource, path *merge.Path) int {
	if l == nil { // the result is not from Merge
		l = &lineFinder{}
	}
	if path == nil && r.Known() == nil {
		if line := r.item.TopLine(); line > 0 {
			return line
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	finder := l.finderFor(r)
	if finder == nil {
		return 0
	}
	at, _ := finder.Find(path)
	return at.Line
}

// finderFor returns the finder of a resource and remembers it; nil if the text cannot be read.
func (l *lineFinder) finderFor(r *Resource) *merge.Finder {
	switch r {
	case l.recent[0].resource:
	case l.recent[1].resource:
		l.recent[0], l.recent[1] = l.recent[1], l.recent[0]
	default:
		tree, err := r.Tree()
		if err != nil {
			return nil
		}
		l.recent[0], l.recent[1] = foundLines{r, merge.NewFinder(tree)}, l.recent[0]
	}
	return l.recent[0].finder
}

// Location returns the file and the line, from 1, of a field in the merged package; for a missing field,
// of the nearest one around it. The line is 0 if it is unknown: the merged package lacks the
// resource, or its files are unknown (see Files).
//
// It is faster to find the fields of one resource after the other.
func (r *Result) Location(c *Change, path *merge.Path) (file string, line int) {
	if c.line == 0 || c.Result == nil {
		return c.File(), 0
	}
	if line = r.finder.find(c.Result, path); line > 0 {
		line += c.line - 1
	}
	return c.File(), line
}

// SideLocation is Location in the version of a side, which must have the resource.
func (r *Result) SideLocation(c *Change, side identity.Side, path *merge.Path) (file string, line int) {
	version := c.Versions[side]
	if line = r.finder.find(version, path); line > 0 {
		first := version.item.Line
		if version.in != nil && version.in.item != nil {
			first = version.in.list.item.Line
		}
		line += max(first, 1) - 1
	}
	return version.label(), line
}

// Action is the merge's action on a resource of local's package.
type Action int

const (
	// Absent: the package neither had nor has the resource.
	Absent Action = iota
	// Unchanged: local's version stays.
	Unchanged
	// Changed: the result has another version, or has it in another file.
	Changed
	// Added: the package did not have the resource.
	Added
	// Deleted: the package no longer has the resource.
	Deleted
)

// Change is the outcome of one resource.
type Change struct {
	*Match
	Action Action
	// Result is the resource in the merged package, nil if that lacks it.
	Result *Resource
	// Moved reports whether the resource is in another file than in local's package, because upstream moved it.
	Moved     bool
	Conflicts []merge.Conflict
	Remarks   []merge.Remark

	merger *merger
	// comment is the merge comment that an unchanged resource needs, and commented reports whether it was written.
	comment   string
	commented bool
	// part has the parts of a resource that is an item of a List, for the List's text.
	part parts.Part
	// list is the List in the result that contains the resource, or nil.
	list *Resource
	// file names the resource's file in messages; of a deleted one, the former file.
	file string
	// line is the line of the resource in its file, from 1; 0 if unknown.
	line int
	// notes are about this resource only.
	notes []note
	// mentions are the references of the resource, and selections its versions among selectors. Both are set
	// if inspected; of an unchanged resource they are found when needed.
	mentions   []mention
	selections selections
	inspected  bool
	// secrets has the conflicts and remarks about a value that may hold a secret, as far as the parsed versions
	// showed it.
	secrets map[*merge.Path]bool
}

// stays reports whether the resource was in local's package and still is.
func (c *Change) stays() bool { return c.Action == Unchanged || c.Action == Changed }

func (c *Change) present() bool { return c.Result != nil }

// resultMeta returns the kind and name of the resource in the result, the zero Meta if it lacks it.
func (c *Change) resultMeta() identity.Meta {
	if c.Result == nil {
		return identity.Meta{}
	}
	return c.Result.Meta
}

// Newest returns the version by whose names and file the user knows the resource: the result, if
// upstream added the resource and it was adapted to local.
func (c *Change) Newest() *Resource {
	if c.Action == Added && c.follows && c.Result != nil {
		return c.Result
	}
	return c.Match.Newest()
}

// Member returns the resource that caused a conflict on a whole package, nil for other conflicts.
func (c *Change) Member() *Resource { return c.differing }

// IsPackage reports whether a conflict without a path is about the package of the resource, a Kptfile.
func (c *Change) IsPackage() bool { return c.Package() != "." && c.Newest().isKptfile() }

// Fails reports whether a conflict of the resource fails the run.
//
// An object that a server refuses fails under every policy, and so does a field of another manager that is not taken
// by force (rules/apply: refused objects; rules/server-side-apply: refused configs).
func (c *Change) Fails(conflict merge.Conflict) bool {
	switch conflict.Kind {
	case merge.Refused:
		return true
	case merge.Owned:
		return conflict.Chosen == identity.Local
	}
	return c.policy().Fails(conflict.Path)
}

// Marks reports whether a conflict of the resource is marked in its file (rules/git: markers).
func (c *Change) Marks(conflict merge.Conflict) bool { return c.policy().Marks(conflict.Path) }

// Unmark records that a conflict cannot be marked in the file (rules/git: markers): the chosen version stays.
func (c *Change) Unmark(conflict merge.Conflict) {
	match, policy, at := *c.Match, c.policy, conflict.Path.String()
	match.policy = func() merge.Policy {
		return func(path *merge.Path) merge.Preference {
			preferred := policy()(path)
			if merge.Prefer(preferred).Marks(path) && path.String() == at {
				return merge.PreferLocal
			}
			return preferred
		}
	}
	c.Match = &match
}

// List returns the List in the result that contains the resource, or nil.
func (c *Change) List() *Resource { return c.list }

// File names the resource's file in messages and results.
func (c *Change) File() string { return c.file }

// MayHoldSecret reports whether the value at a path may contain a secret in any version, so that no
// report may show it (rules/reports: secrets): in a Secret, in a resource from which one is made, and
// in a value with the manifest of one. The nil path is the whole resource.
func (c *Change) MayHoldSecret(p *merge.Path) bool {
	if may, known := c.secrets[p]; known {
		return may
	}
	return c.merger.secrets.mayHold(c, p)
}

// Differences lists the fields in which the resource of the merged package differs from a side's version
// (rules/reports: what differs from upstream): lists are matched by their keys. Bookkeeping and the fields of a Kptfile that belong to
// the copy (rules/kptfiles: Kptfiles) do not count. If one of the two is absent, that is the only difference.
func (c *Change) Differences(side identity.Side) ([]merge.Comparison, error) {
	if c.Action == Unchanged && c.sameText(side, identity.Local) {
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
	if trees, err = c.unadapted(trees); err != nil {
		return nil, err
	}
	return merge.Differences(trees[side], result, c.kind(trees))
}

// resultTree returns the resource of the merged package without bookkeeping, nil if that lacks it.
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

// Contents returns the versions of the resource and the one of the merged package without
// bookkeeping, nil where there is none. They must not be altered.
func (c *Change) Contents() (versions [3]*yaml.Node, result *yaml.Node, err error) {
	defer c.forget()
	if versions, err = c.Trees(); err != nil {
		return versions, nil, err
	}
	if result, err = c.resultTree(versions); err != nil {
		return versions, nil, err
	}
	versions, err = c.unadapted(versions)
	return versions, result, err
}

// Decidable reports for each of the resource's conflicts whether a rule for its path chooses the other side
// (rules/reports: deciding rules). Some conflicts do not depend on the policy, such as deletions and switches
// (rules/unions: switches; rules/resources: additions and deletions). The resource is merged once more to find out.
func (c *Change) Decidable() ([]bool, error) {
	out := make([]bool, len(c.Conflicts))
	if len(c.Conflicts) == 0 {
		return out, nil
	}
	if c.Conflicts[0].Path == nil && c.IsPackage() {
		out[0] = c.Conflicts[0].Kind == merge.UpstreamDeleted // rules/kptfiles: Kptfiles
		return out, nil
	}
	again := *c.Match
	again.policy = func() merge.Policy { return opposite(c.policy) }
	defer again.forget()
	outcome, err := c.merger.strategy.Merge(&again)
	if err != nil {
		return nil, again.located(err)
	}
	chosen := map[conflictSubject]identity.Side{}
	for _, conflict := range outcome.Conflicts {
		chosen[subjectOf(conflict)] = conflict.Chosen
	}
	for i, conflict := range c.Conflicts {
		side, found := chosen[subjectOf(conflict)]
		out[i] = found && side != conflict.Chosen
	}
	return out, nil
}

// conflictSubject is the field, or the comment of a field, about which there is a conflict.
type conflictSubject struct {
	path    string
	comment bool
}

func subjectOf(c merge.Conflict) conflictSubject {
	return conflictSubject{c.Path.String(), c.Kind == merge.CommentChanged}
}

// opposite returns a policy that prefers the other side everywhere.
func opposite(policy func() merge.Policy) merge.Policy {
	return func(at *merge.Path) merge.Preference {
		if policy().Side(at) == identity.Local {
			return merge.PreferUpstream
		}
		return merge.PreferLocal
	}
}
