package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Kind is the kind of a conflict (rules/conflicts: kinds).
type Kind string

const (
	// BothChanged: both sides changed a value, differently.
	BothChanged Kind = "both-changed"
	// UpstreamDeleted: upstream deleted what local changed.
	UpstreamDeleted Kind = "upstream-deleted"
	// LocalDeleted: local deleted what upstream changed.
	LocalDeleted Kind = "local-deleted"
	// KindChanged: both sides changed a value and it is now a map, a list or a
	// scalar on one and another of these on the other.
	KindChanged Kind = "kind-changed"
	// Order: both sides reordered a list map, differently.
	Order Kind = "order"
	// DuplicateKey: both sides changed elements of a list map that no key
	// tells apart.
	DuplicateKey Kind = "duplicate-key"
	// CommentChanged: both sides changed a comment, differently. Values are the comments'
	// texts, as strings.
	CommentChanged Kind = "comment-changed"
	// Drift: an apply takes away what somebody else wrote into the cluster (rules/apply:
	// drift).
	Drift Kind = "drift"
	// Owned: a server-side apply sets a field that another manager owns
	// (rules/server-side-apply: fields in the config).
	Owned Kind = "owned"
	// Refused: the server would refuse the result of an apply (rules/apply: refused
	// objects).
	Refused Kind = "refused"
)

// Conflict is one collision between upstream's and local's changes. It is
// data; the text that a user reads is made elsewhere.
type Conflict struct {
	Kind Kind
	Path *Path
	// Values are the three versions, nil where absent.
	Values [3]*yaml.Node
	// Chosen is the side whose version the result has.
	Chosen identity.Side
	// Part is what of the value the result has of the chosen side where that is not
	// all of it: NamePart or TagPart of an image, ImagePart of a map, LinesPart of a string, or ElementsPart of a
	// list, else "".
	Part string
	// Reason says why a server refuses the result, or why elements that a cluster has stay,
	// as the end of a sentence; only of what an apply does.
	Reason string
	// Managers are those who own the field live, as kubectl names them
	// (rules/server-side-apply: after client-side apply).
	Managers []string
}

// deletedBy is the kind of a conflict about what side deleted.
func deletedBy(side identity.Side) Kind {
	if side == upstream {
		return UpstreamDeleted
	}
	return LocalDeleted
}

// RemarkKind is the kind of a remark.
type RemarkKind string

const (
	// LinesMerged: both sides changed a string of several lines, at different lines,
	// and the result has both changes (rules/fields: strings of several lines).
	LinesMerged RemarkKind = "lines-merged"
	// ElementsMerged: both sides changed a list without keys, at different elements, and
	// the result has both changes (rules/lists: lists without keys).
	ElementsMerged RemarkKind = "elements-merged"
	// UnionTaken: both sides changed a list without keys, and the result has what both
	// added, under the policy union (rules/conflicts: policies).
	UnionTaken RemarkKind = "union"
	// LocalRemoved: local removed a resource that upstream changed, and it stays removed
	// (rules/resources: removed on purpose).
	LocalRemoved RemarkKind = "local-removed"
	// NullOwned: config has a null, which deletes nothing and is owned all the same
	// (rules/server-side-apply: null).
	NullOwned RemarkKind = "null-owned"
	// LeftToOthers: config dropped an element of a list, of which other managers own the
	// key, so that a part of it is left (rules/server-side-apply: dropped elements).
	LeftToOthers RemarkKind = "left-to-others"
	// OtherVersions: managers own fields of the object in another apiVersion
	// (rules/server-side-apply: another apiVersion).
	OtherVersions RemarkKind = "other-versions"
)

// Remark is what the merge did at a path that is no conflict, but deserves a word: an
// info of the results (rules/conflicts: results).
type Remark struct {
	Kind RemarkKind
	Path *Path
	// Values are the three versions, nil where absent.
	Values [3]*yaml.Node
}

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
