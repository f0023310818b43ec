package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Format writes reports in one format. A new one is a file of its own, and a line in Formats.
type Format interface {
	// Name returns the name of the format for --report.
	Name() string
	// Write writes a report.
	Write(io.Writer, *Report) error
}

// Formats returns all formats (rules/reports: formats).
func Formats() []Format {
	return []Format{Text{}, JSON{}, Markdown{}, GitHub{}, SARIF{}, JUnit{}, Ledger{}, HTML{}}
}

// FormatNamed returns the format with a name.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name() == name {
			return f, nil
		}
		names = append(names, f.Name())
	}
	return nil, fmt.Errorf("report format %q is not known, known are %s", name, strings.Join(names, ", "))
}

const (
	// MaxMessage is the length of a message, in bytes, above which its path is cut: a line of a
	// console. Long values may make it longer.
	MaxMessage = 160
	// maxSubject is the longest name of a resource in a message that is too long.
	maxSubject = 64
	// minPath is the part of a path that stays in such a message.
	minPath = 48
	// nothingMerged is the outcome of a conflict if the run failed.
	nothingMerged = "nothing was merged"
	// nothingApplied is the same for an apply.
	nothingApplied = "nothing was applied"
	// maxValue is the longest value in a result, in bytes (rules/conflicts: results).
	maxValue = 256
	// maxShown limits how much of a value a report shows, in bytes.
	maxShown = 4096
	// ShortValue is the longest value in a message, in bytes (rules/conflicts:
	// results).
	ShortValue = 48
)

// Edit is a change that the merge made to a field of local's.
type Edit struct {
	Path string
	// From and To are the values on one line, "" if absent.
	From, To string
	// Conflict reports that both sides had changed the field.
	Conflict bool

	path *merge.Path
}

// Edits returns the merge's changes to the fields of local's resource.
func (r *Resource) Edits() ([]Edit, error) {
	if r.change == nil || !r.change.Has(identity.Local) || r.change.Result == nil {
		return nil, nil
	}
	differences, err := r.change.Differences(identity.Local)
	if err != nil {
		return nil, err
	}
	var out []Edit
	for _, d := range differences {
		show := showsValues(r.change, merge.Conflict{Path: d.Path})
		e := Edit{Path: visible(visiblePath(r.change, d.Path).String()), path: d.Path}
		e.From, e.To = driftValue(d.From, d.To, show), driftValue(d.To, d.From, show)
		for _, c := range r.change.Conflicts {
			e.Conflict = e.Conflict || c.Path.String() == d.Path.String()
		}
		out = append(out, e)
	}
	return out, nil
}
