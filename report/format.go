package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// Format writes reports in one form. A new one is a file of its own, and a line in
// Formats.
type Format interface {
	// Name is what --report calls the format.
	Name() string
	// Write writes a report.
	Write(io.Writer, *Report) error
}

// Formats are all formats (rules/reports: formats).
func Formats() []Format {
	return []Format{Text{}, JSON{}, Markdown{}, GitHub{}, SARIF{}, JUnit{}, Ledger{}, HTML{}}
}

// FormatNamed finds a format by its name.
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
	// MaxMessage is how long a message may be, in bytes, before its path is cut: a
	// line of a console. Long values may make it longer.
	MaxMessage = 160
	// maxWho is the longest name of a resource in a message that is too long.
	maxWho = 64
	// minPath is what stays of a path in such a message.
	minPath = 48
	// nothingMerged is how a conflict of a run that failed ended.
	nothingMerged = "nothing was merged"
	// nothingApplied is the same of an apply.
	nothingApplied = "nothing was applied"
	// maxValue is the longest value in a result, in bytes (rules/conflicts: results).
	maxValue = 256
	// maxShown is how much of a value a report shows, in bytes.
	maxShown = 4096
	// ShortValue is the longest value in a message, in bytes (rules/conflicts:
	// results).
	ShortValue = 48
)

// Edit is what the merge did to a field of local's.
type Edit struct {
	Path string
	// From and To are the values on one line, "" where there is none.
	From, To string
	// Conflict says that both sides had changed the field.
	Conflict bool

	path *merge.Path
}

// Edits lists what the merge did to the fields of the resource: what upstream changed,
// for local's own changes are in the package already.
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
		e := Edit{Path: visible(shownPath(r.change, d.Path).String()), path: d.Path}
		e.From, e.To = driftValue(d.From, d.To, show), driftValue(d.To, d.From, show)
		for _, c := range r.change.Conflicts {
			e.Conflict = e.Conflict || c.Path.String() == d.Path.String()
		}
		out = append(out, e)
	}
	return out, nil
}
