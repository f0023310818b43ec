package pkgmerge

import (
	"slices"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// plan knows which versions of resources and files belong together, and where they stand.
type plan struct {
	*versions
	matches []*Match
	// idleRenames are the indices of renames that matched nothing.
	idleRenames []int
	// moves are the namespaces that local replaced.
	moves []identity.Move
	// habit describes the changes of local's that upstream's new resources follow, or "".
	habit string
	// directories describe the directories that local moved and that files of upstream follow.
	directories []string
	// followed maps upstream's files in those directories to their names in local.
	followed map[string]string
	// unfollowed maps these files from their names in local to their names in upstream.
	unfollowed map[string]string
	// unread are the files of the sides that cannot be read and may hold resources.
	unread [3][]*unread
	// removed are the directories that local emptied.
	removed map[string]bool
	// removedFiles are the names that upstream gave files without resources that local removed.
	removedFiles map[string]bool
	// former maps files of upstream to the files of origin that upstream renamed to them.
	former map[string]string
	// kept are the files of origin that stay although upstream lacks their resources, since it ignores them.
	kept []string
	// texts are the files that merge as text although a side could merge them by structure, sorted by name.
	texts []textFile
}

// textFile is a file that merges as text although a side could merge it by structure (rules/files: text and other
// files).
type textFile struct{ name, reason string }

// newPlan aligns the directories of the versions, sets the files apart that merge as text, and matches the resources.
func newPlan(v *versions) (*plan, error) {
	m := &plan{versions: v}
	m.followDirectories()
	if err := m.findTexts(); err != nil {
		return nil, err
	}
	if err := m.prepare(); err != nil {
		return nil, err
	}
	m.options.progress("matching", 0, len(m.resources()))
	if err := m.match(); err != nil {
		return nil, err
	}
	m.follow(m.matches)
	return m, nil
}

// match finds the versions of each resource.
func (p *plan) match() (err error) {
	if p.driven != nil {
		p.matches, err = p.matchDriven()
		return err
	}
	entries, packages := p.entries()
	compared := comparison{versions: p.versions, read: newReader(p.options.Bookkeeping)}
	found, err := identity.Match(entries, identity.Options{
		Renames: p.options.Renames, Likeness: compared.likeness, Content: compared.content, Items: p.items, Apart: p.builtApart(), Renamed: !p.options.Profile.removalsCollide(),
	})
	if err != nil {
		return err
	}
	p.moves, p.idleRenames = found.Moves, found.Unused
	matches := make([]*Match, len(found.Triples))
	for i, how := range found.Triples {
		matches[i] = p.newMatch(how)
		for _, side := range identity.Sides() {
			if how.Has(side) {
				matches[i].Versions[side] = p.packages[side].Resources[how.At[side]]
				matches[i].packages[side] = packages[side][how.At[side]]
			}
		}
	}
	p.keepIgnored(matches)
	renamed := renamesOf(matches)
	for _, match := range matches {
		match.renamed = renamed
	}
	p.doubtRemovals(matches)
	p.findRemoved(matches)
	p.alignNames(matches)
	p.findBetween(matches)
	p.findFormer(matches)
	p.matches = matches
	return nil
}

// renamesOf returns the names and namespaces that each side gave its versions of origin's resources.
func renamesOf(matches []*Match) (out [3]map[merge.Rename]bool) {
	for _, match := range matches {
		o := match.Versions[identity.Origin]
		for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
			r := match.Versions[side]
			if o == nil || r == nil {
				continue
			}
			for _, rename := range [2]merge.Rename{{From: o.Meta.Name, To: r.Meta.Name}, {From: o.Meta.Namespace, To: r.Meta.Namespace}} {
				if rename.From != rename.To && rename.From != "" && rename.To != "" {
					if out[side] == nil {
						out[side] = map[merge.Rename]bool{}
					}
					out[side][rename] = true
				}
			}
		}
	}
	return out
}

// comparison compares resources for matching, and keeps the values that it has read.
type comparison struct {
	*versions
	read reader
}

// likeness returns the share of values that two resources have in common, except for names, namespaces
// and bookkeeping: from 0 to 1, and 1 only if all are equal.
func (c comparison) likeness(a, b identity.EntryIndex) float64 {
	return c.read.likeness(c.packages[a.Side].Resources[a.At], c.packages[b.Side].Resources[b.At])
}

// content counts the values of a resource except for its apiVersion, kind, name, namespace and
// bookkeeping; 0 if it cannot be read.
func (c comparison) content(side identity.Side, at int) int {
	count := 0
	for _, n := range c.read.read(c.packages[side].Resources[at]).leaves {
		count += n
	}
	const header = 2
	return max(0, count-header)
}

// newMatch returns a match without its versions.
func (p *plan) newMatch(how identity.Triple) *Match {
	match := &Match{ID: how.ID}
	p.complete(match, how)
	return match
}

// complete sets the fields of a match that are the same for all.
func (p *plan) complete(match *Match, how identity.Triple) {
	match.how, match.schema, match.isBookkeeping = how, p.schema, p.options.Bookkeeping
	match.profile, match.noOrigin, match.removalsCollide = p.options.Profile, p.options.NoOrigin, p.options.Profile.removalsCollide()
	match.ignoreSetters = p.options.IgnoreSetters
	match.moves, match.streamed = p.moves, p.packages[identity.Origin].IsStream || p.packages[identity.Upstream].IsStream
	match.nullIsValue = func() bool {
		return p.options.NullIsValue || slices.ContainsFunc(match.Versions[:], func(r *Resource) bool { return r != nil && p.patches()[r.File] })
	}
	match.policy = sync.OnceValue(func() merge.Policy { return p.options.Policy.For(match) })
}
