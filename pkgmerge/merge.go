package pkgmerge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Merge merges the three versions of a package, on all processors. The packages are not altered, and several Merges
// may run at once. After an error nothing was merged; conflicts are no error.
//
// If all packages are made by NewPackage, Files returns the files of the result. A file that cannot be merged by
// structure on one side, such as a template or YAML with a duplicate key, is then merged as text, with a notice
// (rules/files: text and other files).
func Merge(ctx context.Context, packages [3]Package, o Options) (*Result, error) {
	m, err := newMerger(packages, o)
	if err != nil {
		return nil, err
	}
	changes, err := m.changes(ctx)
	if err != nil {
		return nil, err
	}
	return m.assembled(ctx, changes)
}

// newMerger reads the versions and plans their merge.
func newMerger(packages [3]Package, o Options) (*merger, error) {
	v, err := newVersions(packages, o)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(v)
	if err != nil {
		return nil, err
	}
	return &merger{plan: p, secrets: &secretFinder{}}, nil
}

// newVersions returns the versions of a package with the options of their merge and the strategy.
func newVersions(packages [3]Package, o Options) (*versions, error) {
	m := &versions{options: o, packages: packages, ofFiles: true}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		m.packages[side] = packages[side].WithoutIgnored(packages[identity.Local])
	}
	for _, p := range packages {
		m.ofFiles = m.ofFiles && p.contents != nil
	}
	m.setDefaults()
	return m, m.chooseStrategy()
}

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

// assembled returns the result of decided changes.
func (m *merger) assembled(ctx context.Context, changes []*Change) (*Result, error) {
	commentUnchanged(changes)
	a := &assembly{merger: m}
	merged, err := a.place(changes)
	if err != nil {
		return nil, err
	}
	var last []Notice
	if m.driven != nil {
		if err := writeLists(changes); err != nil {
			return nil, err
		}
		if last, err = m.driven.Finish(changes); err != nil {
			return nil, err
		}
	}
	result := &Result{Changes: changes, Merged: merged, IdleRenames: m.idleRenames, Run: m.driven, finder: &lineFinder{}}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("the merge was stopped: %w", err)
	}
	if !m.isSecond {
		result.IdleRules, result.IdleLists = m.idleRules(changes), m.idleLists()
		result.Notices = append(m.notices(changes), last...)
	}
	if m.ofFiles {
		err = a.assemble(result)
	}
	if m.driven == nil && !m.isSecond {
		result.Notices = slices.Concat(result.Notices, a.ignoredNotices(result.FileChanges), a.missingFiles(result), a.idleEntries(result))
	}
	return result, err
}

// setDefaults sets the policy and the bookkeeping where the options have none.
func (v *versions) setDefaults() {
	if v.options.Policy == nil {
		v.options.Policy = Rules{}
	}
	if rules, is := v.options.Policy.(Rules); is {
		v.options.Policy = rules.indexed()
	}
	if v.options.Bookkeeping == nil {
		v.options.Bookkeeping = bookkeeping.Is
	}
}

// chooseStrategy takes the strategy of the options, else local's own.
func (v *versions) chooseStrategy() (err error) {
	if v.strategy = v.options.Strategy; v.strategy == nil {
		v.strategy, err = DefaultStrategy(v.packages[identity.Local])
	}
	return err
}

// prepare checks that the strategy has the sides that it needs, and reads the schemas.
func (v *versions) prepare() (err error) {
	if v.isEmpty(identity.Upstream) {
		return errors.New("upstream has no resources: to take it for the new version would delete the package")
	}
	if driver, is := v.strategy.(Driver); is {
		v.options.MergeComments = CommentNever
		if v.driven, v.packages, err = driver.Begin(v.packages); err != nil {
			return err
		}
	}
	if v.isEmpty(identity.Origin) && !v.options.NoOrigin && v.strategy.Name() != replaceAll && v.driven == nil {
		return errors.New("origin has no resources: every difference would be a conflict; if there is no origin, say so with sources: {origin: {none: true}} in the config")
	}
	if err := v.checkSkipped(); err != nil {
		return err
	}
	v.patches = sync.OnceValue(func() map[string]bool { return findPatches(v.packages) })
	v.secretFiles = sync.OnceValue(func() map[string]bool { return findSecretFiles(v.packages) })
	v.schema, err = v.newSchema()
	return err
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
		Renames: p.options.Renames, Likeness: compared.likeness, Content: compared.content, Items: p.items, Apart: p.builtApart(), Renamed: !p.options.RemovalsCollide,
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

// entries returns the resources of each side for matching, and the packages that contain them.
func (v *versions) entries() (entries [3][]identity.Entry, packages [3][]string) {
	for _, side := range identity.Sides() {
		packages[side] = findPackages(v.packages[side].Resources)
		entries[side] = make([]identity.Entry, 0, len(packages[side]))
		for i, r := range v.packages[side].Resources {
			if r.Was != nil {
				r = r.Was
			}
			entries[side] = append(entries[side], r.entry(packages[side][i], v.schema))
		}
	}
	return entries, packages
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

// items returns the identities of the resources in a List.
func (v *versions) items(side identity.Side, at int) []identity.ID {
	tree, err := v.packages[side].Resources[at].Tree()
	if err != nil {
		return nil
	}
	var out []identity.ID
	for _, n := range yamlnode.Elements(yamlnode.Field(tree, "items")) {
		out = append(out, identity.ReadMeta(n).PlainID())
	}
	return out
}

// changes decides each resource by the strategy, in the order of the matches. The trees of one are
// dropped before the next, so that memory does not hold all at once.
func (m *merger) changes(ctx context.Context) ([]*Change, error) {
	matches := m.matches
	decided, err := m.strategy.Prepare(ctx, matches)
	if err != nil {
		return nil, err
	}
	if m.second != nil && m.driven == nil && len(decided) == 0 {
		m.second.begin(m, len(matches))
	}
	changes := make([]*Change, len(matches))
	told := counter{progress: m.options.progress, total: len(matches)}
	limit, size := roomFor(matches)
	err = parallel.Within(limit, len(matches), size, func(i int) (err error) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("the merge was stopped: %w", err)
		}
		told.next()
		defer matches[i].forget()
		if out, found := decided[i]; found {
			changes[i], err = newChange(m, matches[i], out)
			return err
		}
		asked := false
		if changes[i], err = m.change(matches[i], &asked); err == nil && m.second.isRunning() {
			m.second.changes[i], err = m.second.change(changes[i], asked)
		}
		return err
	})
	return changes, err
}

// roomFor returns the size of the texts whose trees may be in memory at one time, and a function that returns the size
// of a match. Trees take up to ten times the memory of their text, so these take about as much as the package itself.
func roomFor(matches []*Match) (limit int, size func(i int) int) {
	const least, share = 1 << 20, 16
	total := 0
	for _, m := range matches {
		total += m.size()
	}
	return max(least, total/share), func(i int) int { return matches[i].size() }
}

// change decides a resource by the strategy. asked becomes true if the result depends on the preference for marks.
func (m *merger) change(match *Match, asked *bool) (*Change, error) {
	c, err := m.decideMatch(match, asked)
	for err == nil && !m.isSecond && m.unlearn(c) {
		match.policy = sync.OnceValue(func() merge.Policy { return policyOf(m.options.Policy, match) })
		c, err = m.decideMatch(match, asked)
	}
	return c, err
}

// decideMatch is change with the policy of the match.
func (m *merger) decideMatch(match *Match, asked *bool) (*Change, error) {
	if err := m.withHeaderBelow(match); err != nil {
		return nil, err
	}
	policy := match.policy
	match.policy = func() merge.Policy {
		return func(at *merge.Path) merge.Preference {
			preferred := policy()(at)
			*asked = *asked || merge.Prefer(preferred).Marks(at)
			return preferred
		}
	}
	out, err := m.strategy.Merge(match)
	if err == nil {
		m.mergeComments(match, &out)
		m.mergeBetween(match, &out)
	}
	match.marked = match.marked || *asked
	if match.policy = policy; err != nil {
		return nil, match.located(err)
	}
	return newChange(m, match, out)
}

// notices collects the notices. Warnings about the versions come first.
func (m *merger) notices(changes []*Change) []Notice {
	var own []Notice
	for _, c := range changes {
		for _, n := range c.notes {
			own = append(own, Notice{Warning: n.warning, Change: c, Text: n.text})
		}
	}
	if m.driven != nil {
		return slices.Concat(m.skippedFiles(), m.textNotices(), m.schemaWarnings(), own)
	}
	return slices.Concat(m.skippedFiles(), m.textNotices(), m.unreadNotices(), m.malformedComments(), m.schemaWarnings(),
		m.movedNotices(), collisions(changes), dangling(changes), idleSelectors(changes), strays(changes), m.followers(changes),
		own, renames(changes), otherNamespaces(changes), commentedAlone(changes), upstreamNamespaces(changes), m.copies(changes))
}

// counter reports the progress of merging.
type counter struct {
	progress    func(stage string, done, total int)
	mutex       sync.Mutex
	done, total int
}

func (c *counter) next() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.progress("merging", c.done, c.total)
	c.done++
}

// A merge has four phases, and each knows what the ones before it found: versions, plan, changes and assembly.

// versions are the versions of the package and how to merge them, before anything is decided.
type versions struct {
	options  Options
	packages [3]Package
	strategy Strategy
	schema   *schema.Schema
	// crds are the CRDs of the schema, and defining their resources.
	crds     []schema.CRD
	defining []*Resource
	// patches finds the files that a kustomization of any side uses as patches.
	patches func() map[string]bool
	// secretFiles finds the files that a kustomization of any side makes Secrets of.
	secretFiles func() map[string]bool
	// driven is the run of a strategy that is a Driver, else nil.
	driven Run
	// ofFiles reports whether all packages are made of files.
	ofFiles bool
}

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

// merger decides the changes of the planned resources.
type merger struct {
	*plan
	secrets *secretFinder
	// second is a second merge at the same time, nil without one; isSecond marks the second merge itself.
	second   *second
	isSecond bool
}

// withOptions returns a merger of the same plan with other options.
func (m *merger) withOptions(change func(*Options)) *merger {
	v, p, out := *m.versions, *m.plan, *m
	change(&v.options)
	p.versions, out.plan = &v, &p
	return &out
}

// assembly puts the result together from decided changes.
type assembly struct {
	*merger
	// heirs maps a file of the result to the deleted file of local's from which it takes the text around the documents.
	heirs map[string]string
	// headers are the merged comments at the top of files of the result, where they are not local's.
	headers map[string][]byte
	// filesLeft are the files whose comments between documents stay: the files of the result with documents, and the
	// files of local's with an heir.
	filesLeft map[string]bool
}

// textFile is a file that merges as text although a side could merge it by structure (rules/files: text and other
// files).
type textFile struct{ name, reason string }

// isEmpty reports whether a side has neither resources nor files.
func (v *versions) isEmpty(side identity.Side) bool {
	p := v.packages[side]
	return len(p.Resources) == 0 && len(p.Files) == 0
}

// hasStream reports whether a version was read as one stream, in which files have no meaning.
func (v *versions) hasStream() bool {
	return slices.ContainsFunc(v.packages[:], func(p Package) bool { return p.IsStream })
}

// resources returns the resources of all sides.
func (v *versions) resources() []*Resource {
	var all []*Resource
	for _, p := range v.packages {
		all = append(all, p.Resources...)
	}
	return all
}

// keepsAnnotation reports whether an annotation is bookkeeping that stays on local's resources.
func (v *versions) keepsAnnotation(annotation string) bool {
	return annotation != bookkeeping.MergeSource && v.options.Bookkeeping(annotation)
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
	match.noOrigin, match.removalsCollide, match.localFirst = p.options.NoOrigin, p.options.RemovalsCollide, p.options.LocalFirst
	match.ignoreSetters = p.options.IgnoreSetters
	match.moves, match.streamed = p.moves, p.packages[identity.Origin].IsStream || p.packages[identity.Upstream].IsStream
	match.nullIsValue = func() bool {
		return p.options.NullIsValue || slices.ContainsFunc(match.Versions[:], func(r *Resource) bool { return r != nil && p.patches()[r.File] })
	}
	match.policy = sync.OnceValue(func() merge.Policy { return p.options.Policy.For(match) })
}
