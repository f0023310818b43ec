package pkgmerge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

const (
	// likeness is how much of two resources must be equal for one to pass for
	// the other renamed.
	likeness = 0.8
	// nearCertain is how much must be equal for a resource of the same name at another path
	// to pass for it: many packages have several resources of one name, as overlays do.
	nearCertain = 0.95
	// maxPairs bounds how many pairs of resources are compared, and maxLeaves how many fields
	// are looked at for that.
	maxPairs  = 10_000
	maxLeaves = 5_000_000
)

// seemsRenamed says what upstream seems to have called a resource, with the
// entry of the function config that has local's changes follow.
func seemsRenamed(m, to *Change) string {
	from := m.identityOf(identity.Origin)
	switch {
	case from == to.ID:
		return fmt.Sprintf("upstream seems to have moved it to %s; local's changes do not follow", to.file)
	case from.Namespace != "" && to.ID.Namespace == "":
		return fmt.Sprintf("upstream seems to have renamed it to %s; local's changes do not follow", to.ID.Name)
	}
	line := yamlnode.EmptyMap()
	for _, f := range [3][2]string{{"kind", from.Kind}, {"from", from.Name}, {"to", to.ID.Name}} {
		line = yamlnode.Put(line, nil, f[0], yamlnode.String(f[1]))
	}
	if from.Namespace != to.ID.Namespace {
		line = yamlnode.Put(line, nil, "to", yamlnode.String(to.ID.Namespace+"/"+to.ID.Name))
	}
	if from.Namespace != to.ID.Namespace && from.Namespace != "" {
		line = yamlnode.Put(line, nil, "from", yamlnode.String(from.Namespace+"/"+from.Name))
	}
	return fmt.Sprintf("upstream seems to have renamed it; put `- %s` into renames", wording.Flow(line))
}

// renames finds what looks like a rename upstream: a resource that upstream
// deleted though local had customised it, and one of its kind that upstream
// added to the same package and that is mostly like it. To the merge these are two resources, and
// the customisation is lost.
func renames(all []*Change) []Notice {
	var gone []*Change
	added := map[kindIn][]*Change{}
	for _, m := range all {
		switch {
		case deletedUpstream(m):
			gone = append(gone, m)
		case m.Versions[identity.Upstream] != nil && m.Versions[identity.Origin] == nil:
			added[m.kindIn(identity.Upstream)] = append(added[m.kindIn(identity.Upstream)], m)
		}
	}
	var found []renaming
	compared := comparisons{pairs: maxPairs, leaves: maxLeaves, of: map[*Change]looks{}}
	for _, m := range gone {
		before := compared.look(m, identity.Origin)
		for _, candidate := range added[m.kindIn(identity.Origin)] {
			after := compared.look(candidate, identity.Upstream)
			if compared.areSpent() {
				return told(found)
			}
			if share := compared.alike(before, after); share > likeness {
				found = append(found, renaming{m, candidate, share})
			}
		}
	}
	return told(found)
}

// renaming is a resource that upstream deleted and one that it may be now, with the share of
// them that is equal.
type renaming struct {
	from, to *Change
	share    float64
}

// moved reports whether the two have one name: only the path is another.
func (r renaming) moved() bool { return r.from.identityOf(identity.Origin) == r.to.ID }

// told are the notices of renamings. That a resource moved is said where it is near
// certain: the two are the only ones of the name that are alike, and almost equal.
func told(found []renaming) []Notice {
	counts := map[*Change]int{}
	for _, r := range found {
		if r.moved() {
			counts[r.from]++
			counts[r.to]++
		}
	}
	var notices []Notice
	for _, r := range found {
		if !r.moved() || counts[r.from] == 1 && counts[r.to] == 1 && r.share >= nearCertain {
			notices = append(notices, Notice{Change: r.from, Text: seemsRenamed(r.from, r.to)})
		}
	}
	return notices
}

// looks are the leaves of a resource, nil if it cannot be read: then its conflict has been
// told.
type looks struct {
	leaves map[string]int
	count  int
}

// comparisons compares resources, each of which it reads once, until it has compared as many
// pairs, or looked at as many leaves, as it may.
type comparisons struct {
	pairs, leaves int
	of            map[*Change]looks
}

func (l *comparisons) areSpent() bool { return l.pairs < 0 || l.leaves < 0 }

func (l *comparisons) look(c *Change, side identity.Side) looks {
	if known, done := l.of[c]; done || l.areSpent() {
		return known
	}
	var out looks
	if trees, err := c.Trees(); err == nil {
		out.leaves = leaves(trees[side])
	}
	for _, n := range out.leaves {
		out.count += n
	}
	l.leaves -= 4 * len(out.leaves) // they are kept
	l.of[c] = out
	return out
}

// alike is the share of two resources that is equal. It is 0 for those of sizes too different for
// likeness, in which no leaf is looked at.
func (l *comparisons) alike(before, after looks) float64 {
	l.pairs--
	if before.leaves == nil || after.leaves == nil || 2*min(before.count, after.count) <= int(likeness*float64(before.count+after.count)) {
		return 0
	}
	l.leaves -= len(before.leaves)
	return alike(before.leaves, after.leaves)
}

func deletedUpstream(m *Change) bool {
	for _, c := range m.Conflicts {
		if c.Kind == merge.UpstreamDeleted && c.Path == nil {
			return m.Newest().Meta.Naming == identity.ByName
		}
	}
	return false
}

// kindIn is a kind within a package.
type kindIn struct{ group, kind, pkg string }

func (m *Change) kindIn(side identity.Side) kindIn {
	return kindIn{group: m.ID.Group, kind: m.ID.Kind, pkg: m.packages[side]}
}

// copies says in one line which of local's resources were found under other names than
// upstream's, without a merge comment (rules/identity: renamed copies), and of each that
// may be a renamed copy, which comment makes it one.
func (m *merger) copies(all []*Change) []Notice {
	var pairs []string
	var maybe []Notice
	for _, c := range all {
		if c.how.OtherName {
			pairs = append(pairs, fmt.Sprintf("%s is %s", c.ID, nameIn(c.Versions[identity.Local].ID(), c.ID)))
		}
		if text := m.candidates(c); text != "" {
			maybe = append(maybe, Notice{Warning: true, Change: c, Text: text})
		}
	}
	if len(pairs) == 0 {
		return maybe
	}
	const most = 20
	count := len(pairs)
	if count > most {
		pairs = append(pairs[:most], fmt.Sprintf("and %d more", count-most))
	}
	text := fmt.Sprintf("local calls %s otherwise, and merge comments make that last: %s", wording.Plural(count, "resource"), strings.Join(pairs, ", "))
	return append([]Notice{{Text: text}}, maybe...)
}

// candidates names the resources of local's that may be a renamed copy of one that
// upstream changed, "" if there is none.
func (m *merger) candidates(c *Change) string {
	if len(c.how.Candidates) == 0 || c.sameText(identity.Origin, identity.Upstream) {
		return ""
	}
	var names []string
	for _, at := range c.how.Candidates {
		r := m.packages[identity.Local].Resources[at]
		name := r.Meta.Name
		if r.label() != "" {
			name += " in " + r.label()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 3
	if len(names) > most {
		names = append(names[:most], wording.Ellipsis)
	}
	id := c.identityOf(identity.Upstream)
	comment := identity.Comment{Namespace: id.Namespace, Name: id.Name}
	return fmt.Sprintf("%s may be its renamed copy; if so, write `metadata: # %s` there", strings.Join(names, " or "), comment)
}

// nameIn is what local calls a resource, with its namespace where that is another.
func nameIn(own, id identity.ID) string {
	if own.Namespace == id.Namespace || own.Namespace == "" {
		return own.Name
	}
	return own.Namespace + "/" + own.Name
}
