package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// decision is the outcome of phase 2 for an element and all below it.
type decision struct {
	verdict Verdict
	// children are the decisions of the element's children, in their order;
	// only where the parts are merged.
	children []decision
	// made is the value that the result has; only where it is neither side's.
	made *yaml.Node
	// order lists the children that the result has, in its order.
	order     []int
	conflicts []Conflict
	remarks   []Remark
}

// conflicting reports whether there is a conflict at or below the decision.
func (d decision) conflicting() bool {
	if len(d.conflicts) > 0 {
		return true
	}
	for _, c := range d.children {
		if c.conflicting() {
			return true
		}
	}
	return false
}

// silence drops the conflicts and remarks below the decision, because one above
// says it.
func (d decision) silence() {
	for i := range d.children {
		d.children[i].conflicts, d.children[i].remarks = nil, nil
		d.children[i].silence()
	}
}

// gather appends the conflicts at and below the decision, in document order.
func (d decision) gather(conflicts []Conflict) []Conflict {
	conflicts = append(conflicts, d.conflicts...)
	for _, c := range d.children {
		conflicts = c.gather(conflicts)
	}
	return conflicts
}

// gatherRemarks appends the remarks at and below the decision, in document order.
func (d decision) gatherRemarks(remarks []Remark) []Remark {
	remarks = append(remarks, d.remarks...)
	for _, c := range d.children {
		remarks = c.gatherRemarks(remarks)
	}
	return remarks
}

// made decides for a value that was made of upstream's and local's.
func (e *element) made(n *yaml.Node) decision {
	switch {
	case e.same(n, e.value[local]):
		return decision{verdict: TakeLocal}
	case e.same(n, e.value[upstream]):
		return decision{verdict: TakeUpstream}
	}
	return decision{verdict: takeMade, made: n}
}

// remark records at e what is no conflict but deserves a word.
func (d *decision) remark(kind RemarkKind, e *element) {
	d.remarks = append(d.remarks, Remark{Kind: kind, Path: e.path, Values: e.value})
}

// conflict records a collision at e.
func (d *decision) conflict(kind Kind, e *element, chosen identity.Side) {
	d.conflicts = append(d.conflicts, Conflict{Kind: kind, Path: e.path, Values: e.value, Chosen: chosen})
}
