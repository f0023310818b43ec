package pkgmerge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/merge"
)

// A merge has four phases, and each knows what the ones before it found: the versions are read, the plan says which of
// them belong together and where they stand, the merger decides changes, and the assembly makes files of them.

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

// merger decides the changes of the planned resources.
type merger struct {
	*plan
	secrets *secretFinder
	// room is the size of the texts whose trees may still stay in memory behind the merge.
	room *atomic.Int64
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

// changes decides each resource by the strategy, in the order of the matches. The trees of one are
// dropped before the next, so that memory does not hold all at once.
func (m *merger) changes(ctx context.Context) ([]*Change, error) {
	matches := m.matches
	decided, err := m.strategy.Prepare(ctx, matches)
	if err != nil {
		return nil, err
	}
	limit, size := roomFor(matches)
	m.room = new(atomic.Int64)
	m.room.Store(int64(limit))
	if m.second != nil && m.driven == nil && len(decided) == 0 {
		m.second.begin(m, len(matches))
	}
	changes := make([]*Change, len(matches))
	told := counter{progress: m.options.progress, total: len(matches)}
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
		if changes[i], err = m.change(matches[i]); err == nil && m.second.isRunning() {
			m.second.changes[i], err = m.second.change(changes[i])
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

// change decides a resource by the strategy.
func (m *merger) change(match *Match) (*Change, error) {
	c, err := m.decideMatch(match)
	for err == nil && !m.isSecond && m.unlearn(c) {
		match.policy = sync.OnceValue(func() merge.Policy { return policyOf(m.options.Policy, match) })
		c, err = m.decideMatch(match)
	}
	return c, err
}

// decideMatch is change with the policy of the match.
func (m *merger) decideMatch(match *Match) (*Change, error) {
	if err := m.withHeaderBelow(match); err != nil {
		return nil, err
	}
	policy := match.policy
	match.policy = func() merge.Policy {
		return func(at *merge.Path) merge.Preference {
			preferred := policy()(at)
			match.marked = match.marked || merge.Prefer(preferred).Marks(at)
			return preferred
		}
	}
	out, err := m.strategy.Merge(match)
	if err == nil {
		m.mergeComments(match, &out)
		m.mergeBetween(match, &out)
	}
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
