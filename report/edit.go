package report

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
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
