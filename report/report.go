package report

import (
	"path"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Report is what people are to see of a merge (rules/reports: secrets). Whatever the
// format, it comes from here: what Secrets hold is hidden, and each text of the
// packages has its unseen characters written as numbers. Escaping for its own syntax is
// left to a format.
type Report struct {
	Summary Summary
	// Resources are those of local's package and of the result, in its order, and
	// others that have a conflict; then the files without resources.
	Resources []*Resource
	// Notices are what deserves a word though it is no conflict: warnings first.
	Notices []Notice
	// Sides are what the three versions are called, by side: origin, upstream and local,
	// or what they are of an apply.
	Sides [3]string
	// Steps are what an apply does to each object, in their order; nil of a merge.
	Steps []Step

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
	b := builder{options: o, failed: counted.failing > 0, applies: merged.Apply != nil, files: newMergedFiles(merged)}
	r := &Report{Summary: counted.numbers(), Sides: sideNames(merged.Apply != nil), Steps: newSteps(merged.Apply), merged: merged}
	for _, c := range merged.Changes {
		if merged.Apply != nil && !c.Has(identity.Upstream) {
			continue // a live object that config does not have
		}
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

// widest is the width of the longest of the sides' names.
func (r *Report) widest() int {
	width := 0
	for _, name := range r.Sides {
		width = max(width, utf8.RuneCountInString(name))
	}
	return width
}

// title is what the report is of.
func (r *Report) title() string {
	if r.Steps != nil {
		return "Apply report"
	}
	return "Merge report"
}

// hasPlan reports whether the steps of an apply come in waves: the package or the cluster
// has an inventory (rules/live: order).
func (r *Report) hasPlan() bool { return len(r.Steps) > 0 && r.Steps[0].Wave > 0 }

// Options say where things are.
type Options struct {
	// Prefix is put before the names of files: where local's package lies in its
	// repository.
	Prefix string
	// Place finds a field in the merged package: its file, and its line from 1, 0 if
	// that is unknown. nil is that of the result.
	Place func(*pkgmerge.Change, *merge.Path) (file string, line int)
	// Warnings are the caller's, about what the merge does not know.
	Warnings []string
}

// builder makes the parts of a report.
type builder struct {
	options Options
	failed  bool
	applies bool
	files   mergedFiles
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
