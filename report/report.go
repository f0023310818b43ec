package report

import "github.com/resource-merge/resource-merge/pkgmerge"

// Report is what people are to see of a merge (design 19). Whatever the format, it
// comes from here: what Secrets hold is hidden, and each text of the packages has
// its unseen characters written as numbers. Escaping for its own syntax is left to
// a format.
type Report struct {
	Summary Summary
	// Resources are those of local's package and of the result, in its order, and
	// others that have a conflict; then the files without resources.
	Resources []*Resource
	// Notices are what deserves a word though it is no conflict: warnings first.
	Notices []Notice

	// away are what upstream has and local does not want.
	away []*Resource
	// merged is what the report is of.
	merged *pkgmerge.Result
}

// Summary is the result in one line, and in numbers.
type Summary struct {
	Message string
	// Failed says that nothing was merged, because conflicts are to fail the run.
	Failed bool
	// Resources counts those of local's package and those that were added, and Files
	// the files without resources likewise.
	Resources, Files int
	// Changed, Added, Deleted and Unchanged count both.
	Changed, Added, Deleted, Unchanged int
	Conflicts                          int
}

// New makes the report of a merge.
func New(merged *pkgmerge.Result, o Options) (*Report, error) {
	counted := newCounts(merged)
	if o.Place == nil {
		o.Place = merged.Place
	}
	b := builder{options: o, failed: counted.failing > 0, files: newMergedFiles(merged)}
	r := &Report{Summary: counted.numbers(), merged: merged}
	for _, c := range merged.Changes {
		it, err := b.resource(c)
		if err != nil {
			return nil, err
		}
		r.add(it)
	}
	for _, f := range merged.FileChanges {
		r.add(b.file(f))
	}
	r.Notices = b.notices(merged)
	return r, nil
}

// add adds a resource, or a file.
func (r *Report) add(it *Resource) {
	if it.Action == actionName(pkgmerge.Absent) && len(it.Conflicts) == 0 {
		r.away = append(r.away, it)
	} else {
		r.Resources = append(r.Resources, it)
	}
}

// numbers is the summary.
func (t *counts) numbers() Summary {
	return Summary{
		Message: visible(t.summary().Message), Failed: t.failing > 0, Conflicts: t.conflicts,
		Resources: t.resources, Files: t.files,
		Changed: t.actions[pkgmerge.Changed], Added: t.actions[pkgmerge.Added],
		Deleted: t.actions[pkgmerge.Deleted], Unchanged: t.actions[pkgmerge.Unchanged],
	}
}
