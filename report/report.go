package report

import (
	"path"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Report is what people are to see of a merge (design 19). Whatever the format, it
// comes from here: what Secrets hold is hidden, and each text of the packages has
// its unseen characters written as numbers. Escaping for its own syntax is left to
// a format.
type Report struct {
	Summary Summary
	// Resources are those of local's package and of the result, in its order, and
	// others that have a conflict.
	Resources []*Resource
	// Notices are what deserves a word though it is no conflict: warnings first.
	Notices []Notice
}

// Summary is the result in one line, and in numbers.
type Summary struct {
	Message string
	// Failed says that nothing was merged, because conflicts are to fail the run.
	Failed bool
	// Resources counts those of local's package and those that were added.
	Resources, Changed, Added, Deleted, Unchanged int
	Conflicts                                     int
}

// Options say where things are.
type Options struct {
	// Prefix is put before the names of files: where local's package lies in its
	// repository.
	Prefix string
	// Place finds a field in the merged package: its file, and its line from 1, 0 if
	// that is unknown. nil: no lines are known.
	Place func(*pkgmerge.Change, *merge.Path) (file string, line int)
	// Warnings are the caller's, about what the merge does not know.
	Warnings []string
}

// New makes the report of a merge.
func New(merged *pkgmerge.Result, o Options) (*Report, error) {
	counted := newCounts(merged)
	b := builder{options: o, failed: counted.failing > 0}
	r := &Report{Summary: counted.numbers()}
	for _, c := range merged.Changes {
		if c.Action == pkgmerge.Absent && len(c.Conflicts) == 0 {
			continue
		}
		it, err := b.resource(c)
		if err != nil {
			return nil, err
		}
		r.Resources = append(r.Resources, it)
	}
	r.Notices = b.notices(merged)
	return r, nil
}

// numbers is the summary.
func (t *counts) numbers() Summary {
	s := Summary{
		Message: visible(t.summary().Message), Failed: t.failing > 0, Conflicts: t.conflicts,
		Changed: t.actions[pkgmerge.Changed], Added: t.actions[pkgmerge.Added],
		Deleted: t.actions[pkgmerge.Deleted], Unchanged: t.actions[pkgmerge.Unchanged],
	}
	s.Resources = s.Changed + s.Added + s.Deleted + s.Unchanged
	return s
}

// builder makes the parts of a report.
type builder struct {
	options Options
	failed  bool
}

// at is where a field stands.
func (b builder) at(c *pkgmerge.Change, p *merge.Path) (file string, line int) {
	if b.options.Place != nil && !b.failed {
		file, line = b.options.Place(c, p)
	}
	if file == "" {
		file, line = c.File(), 0
	}
	return b.named(file), line
}

// named is a file's name as the report has it.
func (b builder) named(file string) string {
	if file == "" {
		return ""
	}
	return visible(path.Join(b.options.Prefix, file))
}

// conflicts are those of a resource.
func (b builder) conflicts(c *pkgmerge.Change) ([]*Conflict, error) {
	otherwise, err := c.Otherwise()
	if err != nil {
		return nil, err
	}
	var out []*Conflict
	for i, conflict := range c.Conflicts {
		it := b.conflict(c, conflict)
		switch {
		case otherwise[i]:
			it.Rule = newRule(c, conflict.Path, otherSide(conflict.Chosen))
		case c.Fails(conflict):
			it.Rule = newRule(c, conflict.Path, conflict.Chosen)
		}
		out = append(out, it)
	}
	return out, nil
}

func otherSide(side identity.Side) identity.Side {
	if side == identity.Upstream {
		return identity.Local
	}
	return identity.Upstream
}
