package pkgmerge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Notice is a sentence about something that is not a conflict (rules/conflicts: results).
type Notice struct {
	// Warning reports whether the user should act; any other notice informs.
	Warning bool
	// Change is the subject of the notice, nil if that is Resource, File or the package.
	Change *Change
	// Resource is a version of a resource that cannot be used unchanged, and Path one of its fields.
	Resource *Resource
	Path     string
	// File is a file without resources, and Line the line for which it cannot be read, 0 in all other notices.
	File string
	Line int
	Text string
}

// note is a Notice about one resource.
type note struct {
	warning bool
	text    string
}

// malformedComments warns of merge comments that cannot be read.
func (p *plan) malformedComments() []Notice {
	var out []Notice
	for _, r := range p.resources() {
		if !bookkeeping.IsMergeComment(r.Meta.Comment) {
			continue
		}
		if _, err := identity.ParseComment(r.Meta.Comment); err != nil {
			out = append(out, Notice{Warning: true, Resource: r, Text: fmt.Sprintf("%s: %v; it is ignored", r, err)})
		}
	}
	return out
}

// otherNamespaces tells in one notice which of local's resources were matched in another namespace than
// upstream's, without a merge comment (rules/identity: replaced namespaces).
func otherNamespaces(all []*Change) []Notice {
	moved := matchedBy(all, func(c *Change) bool { return c.how.OtherNamespace })
	if len(moved) == 0 {
		return nil
	}
	moves := namespaceMoves(moved, func(c *Change) (from, to *Resource) { return c.counterpart(), c.Versions[identity.Local] })
	text := fmt.Sprintf("%s %s in your namespace %s, such as %s %s",
		wording.Plural(len(moved), "resource"), isOrAre(moved), moves, moved[0].ID.Kind, moved[0].ID.Name)
	if slices.ContainsFunc(moved, func(c *Change) bool { return c.commented || c.Action != Unchanged }) {
		text += "; comments (# kpt-merge) now record that"
	}
	return []Notice{{Text: text}}
}

// commentedAlone tells in one notice which resources have a new merge comment, and are otherwise as local has them
// (rules/identity: written merge comments).
func commentedAlone(all []*Change) []Notice {
	commented := matchedBy(all, func(c *Change) bool { return c.commented })
	if len(commented) == 0 {
		return nil
	}
	var names []string
	for _, c := range commented {
		names = append(names, c.Result.String())
	}
	return []Notice{{Text: fmt.Sprintf("%s that did not change got a merge comment: %s", wording.Plural(len(commented), "resource"), strings.Join(wording.First(names, 3), ", "))}}
}

// upstreamNamespaces tells in one notice which resources upstream moved to another namespace (rules/identity:
// upstream's namespaces).
func upstreamNamespaces(all []*Change) []Notice {
	moved := matchedBy(all, func(c *Change) bool { return c.how.MovedUpstream && c.Has(identity.Local) })
	if len(moved) == 0 {
		return nil
	}
	moves := namespaceMoves(moved, func(c *Change) (from, to *Resource) {
		return c.Versions[identity.Origin], c.Versions[identity.Upstream]
	})
	return []Notice{{Text: fmt.Sprintf(
		"%s %s in upstream's namespace %s now, such as %s %s; your changes follow",
		wording.Plural(len(moved), "resource"), isOrAre(moved), moves, moved[0].ID.Kind, moved[0].ID.Name)}}
}

func matchedBy(all []*Change, is func(*Change) bool) (matched []*Change) {
	for _, c := range all {
		if is(c) {
			matched = append(matched, c)
		}
	}
	return matched
}

func isOrAre(changes []*Change) string {
	if len(changes) == 1 {
		return "is"
	}
	return "are"
}

// namespaceMoves lists the first namespaces between which resources moved.
func namespaceMoves(moved []*Change, versions func(*Change) (from, to *Resource)) string {
	var moves []string
	for _, c := range moved {
		from, to := versions(c)
		if move := namespaceOf(to) + " instead of " + namespaceOf(from); !slices.Contains(moves, move) {
			moves = append(moves, move)
		}
	}
	return strings.Join(wording.First(moves, 3), ", ")
}

// namespaceOf returns a resource's namespace, or the name of a Namespace object.
func namespaceOf(r *Resource) string {
	if r.Meta.Kind == "Namespace" && r.Meta.Namespace == "" {
		return r.Meta.Name
	}
	return cmp.Or(r.Meta.Namespace, "none")
}

// home is a namespace of upstream's package or of origin's. Resources without a namespace are distinguished by kind,
// because their kind may be cluster-scoped.
type home struct{ kind, namespace string }

func homeOf(m identity.Meta) home {
	if m.Namespace == "" {
		return home{kind: m.Kind}
	}
	return home{namespace: m.Namespace}
}

// strays tells, once for each namespace, of resources that upstream added in a namespace that local
// moved the whole package away from: an addition keeps upstream's.
func strays(all []*Change) []Notice {
	to := abandoned(all)
	var homes []home
	added := map[home][]*Change{}
	for _, c := range all {
		at := homeOf(c.resultMeta())
		if c.Action != Added || to[at] == "" {
			continue
		}
		if added[at] == nil {
			homes = append(homes, at)
		}
		added[at] = append(added[at], c)
	}
	var notices []Notice
	for _, at := range homes {
		notices = append(notices, strayed(added[at], at, to[at]))
	}
	return notices
}

// abandoned returns the namespaces that local moved all resources away from, with the first new one.
func abandoned(all []*Change) map[home]string {
	to, stays := map[home]string{}, map[home]bool{}
	for _, c := range all {
		l, was := c.Versions[identity.Local], c.counterpart()
		if l == nil || was == nil || was.Meta.Naming == identity.ByPath {
			continue
		}
		from := homeOf(was.Meta)
		stays[from] = stays[from] || l.Meta.Namespace == was.Meta.Namespace
		to[from] = cmp.Or(to[from], l.Meta.Namespace)
	}
	maps.DeleteFunc(to, func(from home, _ string) bool { return stays[from] })
	return to
}

// strayed tells of resources that were added in a namespace that local left for another.
func strayed(added []*Change, at home, to string) Notice {
	out, where := Notice{Change: added[0], Text: "added"}, "upstream's namespace"
	if len(added) > 1 {
		out = Notice{Text: fmt.Sprintf("%s such as %s %s were added", wording.Plural(len(added), "resource"), added[0].ID.Kind, added[0].ID.Name)}
		where = "namespace " + at.namespace
	}
	if at.namespace == "" {
		out.Text += fmt.Sprintf(" without a namespace, as upstream has it; you gave every other %s one: %s", at.kind, to)
	} else {
		out.Text += fmt.Sprintf(" in %s, where you have nothing else; yours are in %s", where, to)
	}
	return out
}

const (
	// likeness is the share of equal values above which a resource seems to be another one renamed.
	likeness = 0.8
	// nearCertain is the same for a resource of one name at another path: many packages have several
	// resources of one name, as overlays do.
	nearCertain = 0.95
	// maxPairs and maxLeaves limit the pairs of resources and the fields that are compared.
	maxPairs  = 10_000
	maxLeaves = 5_000_000
)

// seemsRenamed tells which name upstream seems to have given a resource, with the entry of the function
// config that makes local's changes follow.
func seemsRenamed(m, to *Change) string {
	from := m.identityOf(identity.Origin)
	switch {
	case from == to.ID:
		return fmt.Sprintf("upstream seems to have moved it to %s; your changes do not follow", to.file)
	case from.Namespace != "" && to.ID.Namespace == "":
		return fmt.Sprintf("upstream seems to have renamed it to %s; your changes do not follow", to.ID.Name)
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

// renames finds probable renames by upstream: a deleted resource that local had customised, and an added one of the
// same kind and package that is mostly equal. The merge treats these as two resources, and the customisation is lost.
func renames(all []*Change) []Notice {
	gone, added := goneAndAdded(all)
	var found []renaming
	compared := comparisons{pairs: maxPairs, leaves: maxLeaves, of: map[*Change]leafCounts{}}
	for _, m := range gone {
		before := compared.count(m, identity.Origin)
		for _, candidate := range added[m.kindIn(identity.Origin)] {
			after := compared.count(candidate, identity.Upstream)
			if compared.areSpent() {
				return renameNotices(found)
			}
			if share := compared.alike(before, after); share > likeness {
				found = append(found, renaming{m, candidate, share})
			}
		}
	}
	return renameNotices(found)
}

// goneAndAdded returns the resources that upstream deleted and local had customised, and by kind the ones that
// upstream added.
func goneAndAdded(all []*Change) (gone []*Change, added map[kindIn][]*Change) {
	added = map[kindIn][]*Change{}
	for _, m := range all {
		switch {
		case deletedUpstream(m):
			gone = append(gone, m)
		case m.Versions[identity.Upstream] != nil && m.Versions[identity.Origin] == nil:
			added[m.kindIn(identity.Upstream)] = append(added[m.kindIn(identity.Upstream)], m)
		}
	}
	return gone, added
}

// renaming is a deleted resource and its probable new name, with the share of equal values.
type renaming struct {
	from, to *Change
	share    float64
}

// moved reports whether the two have one name: only the path is another.
func (r renaming) moved() bool { return r.from.identityOf(identity.Origin) == r.to.ID }

// renameNotices returns the notices of renamings. A move must be nearly certain: the two are the only
// similar ones of the name, and almost equal.
func renameNotices(found []renaming) []Notice {
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

// leafCounts are the leaves of a resource, nil if it cannot be read.
type leafCounts struct {
	leaves map[string]int
	count  int
}

// comparisons compares resources up to a number of pairs and leaves, and reads each resource once.
type comparisons struct {
	pairs, leaves int
	of            map[*Change]leafCounts
}

func (l *comparisons) areSpent() bool { return l.pairs < 0 || l.leaves < 0 }

func (l *comparisons) count(c *Change, side identity.Side) leafCounts {
	if known, done := l.of[c]; done || l.areSpent() {
		return known
	}
	var out leafCounts
	if trees, err := c.Trees(); err == nil {
		out.leaves = leaves(trees[side])
	}
	for _, n := range out.leaves {
		out.count += n
	}
	l.leaves -= 4 * len(out.leaves) // the leaves stay in memory
	l.of[c] = out
	return out
}

// alike returns the share of equal values in two resources, 0 if their sizes are too different for likeness.
func (l *comparisons) alike(before, after leafCounts) float64 {
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
			return m.Newest().Meta.Naming != identity.ByPath
		}
	}
	return false
}

// kindIn is a kind in a package.
type kindIn struct{ group, kind, pkg string }

func (m *Change) kindIn(side identity.Side) kindIn {
	return kindIn{group: m.ID.Group, kind: m.ID.Kind, pkg: m.packages[side]}
}

// copies tells in one notice which of local's resources were matched under other names than upstream's,
// without a merge comment (rules/identity: renamed copies). For each other resource that may be a renamed
// copy, it tells which comment makes it one.
func (m *merger) copies(all []*Change) []Notice {
	var pairs []string
	var maybe []Notice
	for _, c := range all {
		if l := c.Versions[identity.Local]; c.how.OtherName && l.ID() != c.ID { // else its content told it apart
			pairs = append(pairs, fmt.Sprintf("%s is %s", c.ID, nameIn(l.ID(), c.ID)))
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
	text := fmt.Sprintf("you have renamed %s; merge comments record the renames: %s", wording.Plural(count, "resource"), strings.Join(pairs, ", "))
	return append([]Notice{{Text: text}}, maybe...)
}

// candidates names local's resources that may be a renamed copy of one that upstream changed, deleted or renamed, or
// upstream's new one that may be one that local deleted; "" if there is none.
func (m *merger) candidates(c *Change) string {
	if c.sameText(identity.Origin, identity.Upstream) {
		return ""
	}
	successor := ""
	for _, at := range c.how.Successors {
		successor = m.packages[identity.Upstream].Resources[at].Meta.Name
	}
	switch {
	case len(c.how.Candidates) == 0 && successor == "":
		return ""
	case c.Has(identity.Local):
		const both = "you renamed %s to %s, and upstream may have renamed it to %s, which was added; if so, keep one of the two"
		return fmt.Sprintf(both, c.ID.Name, c.Versions[identity.Local].Meta.Name, successor)
	case len(c.how.Candidates) == 0:
		return fmt.Sprintf("you deleted it, and upstream may have renamed it to %s, which was added; if so, delete that, too", successor)
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
	side, deleted := identity.Upstream, ""
	if !c.Has(side) {
		if side, deleted = identity.Origin, "upstream deleted it, and "; successor != "" {
			deleted = fmt.Sprintf("upstream may have renamed it to %s, which was added, and ", successor)
		}
	}
	id := c.identityOf(side)
	comment := identity.Comment{Namespace: id.Namespace, Name: id.Name}
	return fmt.Sprintf("%s%s may be its renamed copy; if so, write `metadata: # %s` there", deleted, strings.Join(wording.First(names, 3), " or "), comment)
}

// nameIn returns local's name of a resource, with its namespace if that is another one.
func nameIn(local, id identity.ID) string {
	if local.Namespace == id.Namespace || local.Namespace == "" {
		return local.Name
	}
	return local.Namespace + "/" + local.Name
}
