package report

import (
	"io"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Report is the data of all formats (rules/reports: secrets). Contents of Secrets are hidden, and invisible characters
// in texts of the packages are escaped. A format escapes only for its own syntax.
type Report struct {
	Summary Summary
	// Resources are the resources of local's package and of the result, in its order, and others
	// that have a conflict; then the files without resources.
	Resources []*Resource
	// Notices are messages that are no conflicts, warnings first.
	Notices []Notice
	// Sides are the names of the three versions: origin, upstream and local, or their names in an apply.
	Sides [3]string

	// steps are the steps of an apply in order; nil for a merge. Programs have them from apply.Of.
	steps []step
	// findings are the lines of values files (NewValues); nil for a merge.
	findings []finding
	// isReview says that the findings are a review's (NewReview).
	isReview bool
	// name and command are the options Name and Command.
	name, command string
	// merged is the result that the report describes.
	merged *pkgmerge.Result
}

// Summary is the result in one line, and in numbers.
type Summary struct {
	Message string `json:"message"`
	// Failed reports that nothing was merged, because conflicts fail the run.
	Failed bool `json:"failed"`
	// Resources counts the resources of local's package and the added ones, Files the files without resources likewise.
	Resources int `json:"resources"`
	Files     int `json:"files"`
	// Changed, Added, Deleted and Unchanged count both.
	Changed   int `json:"changed"`
	Added     int `json:"added"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
	Conflicts int `json:"conflicts"`
}

// New builds the report of a merge.
func New(merged *pkgmerge.Result, o Options) (*Report, error) {
	counted := newCounts(merged)
	if counted.applied != nil {
		o.Locate = locateConfig(merged)
	} else if o.Locate == nil {
		o.Locate = merged.Location
	}
	b := builder{options: o, failed: counted.failures > 0, applies: counted.applied != nil, files: newMergedFiles(merged)}
	r := &Report{Summary: counted.toSummary(), Sides: sideNames(b.applies), steps: b.steps(counted.applied), merged: merged, name: visible(o.Name), command: visible(o.Command)}
	for _, c := range merged.Changes {
		if b.applies && !c.Has(identity.Upstream) {
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

// locateConfig returns the function that locates the fields of an apply: in config, or in the live object if config does
// not have it.
func locateConfig(merged *pkgmerge.Result) func(c *pkgmerge.Change, path *merge.Path) (file string, line int) {
	return func(c *pkgmerge.Change, path *merge.Path) (file string, line int) {
		if !c.Has(identity.Upstream) {
			return merged.Location(c, path)
		}
		return merged.SideLocation(c, identity.Upstream, path)
	}
}

// remarkNotices returns the warnings and the infos about resources. A merge that failed has none, unless it is an apply.
func (b builder) remarkNotices(changes []*pkgmerge.Change) (warnings, infos []Notice) {
	if b.failed && !b.applies {
		return nil, nil
	}
	for _, c := range changes {
		for _, remark := range c.Remarks {
			r := b.remark(c, remark)
			if isWarning(remark.Kind) {
				r.Severity = "warning"
				warnings = append(warnings, r)
			} else {
				infos = append(infos, r)
			}
		}
	}
	return warnings, infos
}

// fileNotices returns the notices about files. A merge that failed has none.
func (b builder) fileNotices(changes []*pkgmerge.FileChange) (out []Notice) {
	if b.failed {
		return nil
	}
	for _, f := range changes {
		for _, remark := range f.Remarks {
			out = append(out, Notice{Severity: "info", Message: visibleMessage(fileRemarkMessage(f, remark)), File: b.fileName(f.Name), removed: b.fileName(f.Name), noun: "file"})
		}
	}
	return out
}

// add adds a resource, but for one that upstream has and local removed: it is in no report without a conflict.
func (r *Report) add(it *Resource) {
	if it.Action != actionName(pkgmerge.Absent) || len(it.Conflicts) > 0 {
		r.Resources = append(r.Resources, it)
	}
}

// toSummary returns the counts as a summary.
func (t *counts) toSummary() Summary {
	return Summary{
		Message: visible(t.summary().Message), Failed: t.failures > 0, Conflicts: t.conflicts,
		Resources: t.resources, Files: t.files,
		Changed: t.actions[pkgmerge.Changed], Added: t.actions[pkgmerge.Added],
		Deleted: t.actions[pkgmerge.Deleted], Unchanged: t.actions[pkgmerge.Unchanged],
	}
}

// sideWidth returns the width of the longest name in Sides.
func (r *Report) sideWidth() int {
	width := 0
	for _, name := range r.Sides {
		width = max(width, utf8.RuneCountInString(name))
	}
	return width
}

func (r *Report) title() string {
	title := "Merge report"
	if r.steps != nil {
		title = "Apply report"
	}
	if r.name != "" {
		title += " of " + r.name
	}
	return title
}

// causes returns the notices about files that cannot be read, from which other findings may follow. Every format has them first.
func (r *Report) causes() []Notice {
	return slices.DeleteFunc(slices.Clone(r.Notices), func(n Notice) bool { return !n.isCause })
}

// others returns all other notices, joined for people.
func (r *Report) others() []Notice {
	return joined(slices.DeleteFunc(slices.Clone(r.Notices), func(n Notice) bool { return n.isCause }))
}

// hasPlan reports whether the steps of an apply come in waves, because the package or the cluster
// has an inventory (rules/live: order).
func (r *Report) hasPlan() bool { return len(r.steps) > 0 && r.steps[0].Wave > 0 }

// Options configure a report.
type Options struct {
	// Prefix is put before the names of files: the directory of local's package in its repository.
	Prefix string
	// Locate returns the location of a field in the merged package; the line is from 1, or 0 if it
	// is unknown. The default is the result's. In an apply it is the config's.
	Locate func(*pkgmerge.Change, *merge.Path) (file string, line int)
	// Name names the package and its versions in the title of the page; "" if they have no names.
	Name string
	// Command is the command line that merges again, for the page to show; "" if there is none.
	Command string
	// Warnings are the caller's.
	Warnings []string
	// Setter names the commit that set local's value of a conflict, "" if it is unknown; nil knows none. Versions are the
	// names of origin and upstream beside it, "" if they have none.
	Setter   func(*pkgmerge.Change, *merge.Path) string
	Versions [2]string
	// Extra shows in an apply the fields of live objects that config does not ask for.
	Extra bool
	// NoRules leaves out the rules that would decide the conflicts: to find them, each resource with
	// a conflict is merged once more.
	NoRules bool
}

// builder builds the parts of a report.
type builder struct {
	options Options
	failed  bool
	applies bool
	files   mergedFiles
}

func (b builder) location(c *pkgmerge.Change, p *merge.Path) (file string, line int) {
	if b.options.Locate != nil && (!b.failed || b.applies) {
		file, line = b.options.Locate(c, p)
	}
	if file == "" {
		file, line = c.File(), 0
	}
	return b.fileName(file), line
}

func (b builder) fileName(file string) string {
	if file == "" {
		return ""
	}
	return visible(path.Join(b.options.Prefix, file))
}

// Format writes reports in one format; Name is its name for --report.
type Format struct {
	Name  string
	Write func(io.Writer, *Report) error
}

// Formats returns all formats (rules/reports: formats).
func Formats() []Format {
	return []Format{
		{"text", writeText}, {"json", writeJSON}, {"markdown", writeMarkdown}, {"github", writeGitHub}, {"html", writeHTML},
	}
}

const (
	// maxName limits the name of a resource in a message that is too long; kind, namespace and name of
	// objects that Kubernetes takes are shorter.
	maxName = 400
	// maxSubject is the widest column of names in a table.
	maxSubject = 64
	// minPath is the part of a path that stays in such a message.
	minPath = 48
	// notKnown tells the limits of every plan (rules/apply: limits of a plan).
	notKnown = "not known without the cluster: what admission, webhooks and quotas would change or refuse, and what changed since the recording"
	// nothingMerged is the outcome of a conflict if the run failed.
	nothingMerged = "nothing was merged"
	// notApplied is the outcome of the conflicts of an object that the server refuses.
	notApplied = "the object is not applied"
	// maxValue is the longest value in a result, in bytes (rules/conflicts: results).
	maxValue = 256
	// maxShown limits how much of a value a report shows, in bytes.
	maxShown = 4096
)
