package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Kind is the kind of a conflict (rules/conflicts: kinds).
type Kind string

const (
	// BothChanged means that both sides changed a value differently.
	BothChanged Kind = "both-changed"
	// UpstreamDeleted means that upstream deleted a field or element that local changed.
	UpstreamDeleted Kind = "upstream-deleted"
	// LocalDeleted means that local deleted a field or element that upstream changed.
	LocalDeleted Kind = "local-deleted"
	// KindChanged means that both sides changed a value, and it is a map, list or scalar on one and another of
	// these on the other.
	KindChanged Kind = "kind-changed"
	// Order means that both sides reordered a list map differently.
	Order Kind = "order"
	// DuplicateKey means that both sides changed list elements with a duplicate or missing key.
	DuplicateKey Kind = "duplicate-key"
	// CommentChanged means that both sides changed a comment differently. The values are the texts as strings.
	CommentChanged Kind = "comment-changed"
	// NoOrigin means that the sides differ and that there is no origin, so nobody knows which side changed the value, and
	// whether a side that lacks it removed it (rules/laws: nobody knows).
	NoOrigin Kind = "no-origin"
	// Drift means that an apply removes a value that somebody else wrote in the cluster (rules/apply: drift).
	Drift Kind = "drift"
	// Owned means that a server-side apply sets a field that another manager owns (rules/server-side-apply:
	// fields in the config).
	Owned Kind = "owned"
	// Refused means that the server would refuse the result of an apply (rules/apply: refused objects).
	Refused Kind = "refused"
)

// Conflict is a conflict between upstream's and local's changes. It is data; package report makes messages of it.
type Conflict struct {
	Kind Kind
	Path *Path
	// Values are the three versions, nil where absent.
	Values [3]*yaml.Node
	// Chosen is the side whose version the result has.
	Chosen identity.Side
	// Part names the part of the value that the conflict is about: "name" or "tag" of an image, "image" of a map,
	// LinesPart of a string or a comment, ElementsPart of a list, AdditionsPart of a removed map or list, or "" for the
	// whole value.
	Part string
	// Within is the path of the value within a text of YAML or JSON at Path, nil for another value (rules/fields: YAML in a string).
	Within *Path
	// Reason explains why the server refuses an apply, or why it keeps elements of the cluster, as the end of a
	// sentence.
	Reason string
	// Managers own the field in the cluster, as kubectl names them (rules/server-side-apply: after client-side apply).
	Managers []string
}

// FullPath returns the path of the value, also within a text.
func (c Conflict) FullPath() *Path {
	return c.Path.With(c.Within.Steps()...)
}

// deletedBy returns the kind of a conflict about a deletion by side.
func deletedBy(side identity.Side) Kind {
	if side == upstream {
		return UpstreamDeleted
	}
	return LocalDeleted
}

// RemarkKind is the kind of a remark.
type RemarkKind string

const (
	// LinesMerged means that both sides changed different lines of a string, and the result has both changes
	// (rules/fields: strings of several lines).
	LinesMerged RemarkKind = "lines-merged"
	// ElementsMerged means that both sides changed different elements of a list without keys, and the result
	// has both changes (rules/lists: lists without keys).
	ElementsMerged RemarkKind = "elements-merged"
	// UnionTaken means that both sides changed a list without keys, and the result has both sides' additions,
	// under the policy union (rules/conflicts: policies).
	UnionTaken RemarkKind = "union"
	// MapsJoined means that both sides added a map, a list element or a resource, and the result has the fields of both
	// (rules/laws: added without an origin).
	MapsJoined RemarkKind = "maps-joined"
	// NewerBump means that a machine wrote both sides' values, and the newer was taken (rules/fields: values that a
	// machine owns). DeletedBump means that one side deleted a field that a machine wrote on the other, and it stays
	// deleted.
	NewerBump   RemarkKind = "newer-bump"
	DeletedBump RemarkKind = "deleted-bump"
	// Mirrored means that local took an image from another repository, under another name, and kept its version: the result
	// has local's repository and upstream's version (rules/fields: images).
	Mirrored RemarkKind = "mirrored"
	// ImageMerged means that one side changed the name of an image, and the other its tag or digest: the result has the name of
	// the chosen side and the tag of the other (rules/fields: images).
	ImageMerged RemarkKind = "image-merged"
	// Newest means that the newer of two versions was taken, under the policy newest (rules/conflicts: newest).
	Newest RemarkKind = "newest"
	// LocalRemoved means that local removed a resource that upstream changed, and it stays removed
	// (rules/resources: removed on purpose).
	LocalRemoved RemarkKind = "local-removed"
	// LikeDeleted means that local has an element that is equal, but for its key, to one that upstream deleted, and that it
	// stays (rules/lists: re-keyed elements). Origin's value is the deleted one.
	LikeDeleted RemarkKind = "like-deleted"
	// OwnComment means that upstream deleted a field, an element or a resource that local did not change, but for a
	// comment of its own (rules/conflicts: comments of deleted fields). If upstream has a value at the path, it deleted
	// a part of it.
	OwnComment RemarkKind = "own-comment"
	// UpstreamComment means that local removed a part of a list without keys, or of another whole value, or put another element
	// in the place of one, where upstream changed or added a comment (rules/conflicts: comments of deleted fields). On a branch
	// it means any deletion of local's; if local has a value at the path, it deleted a part of it.
	UpstreamComment RemarkKind = "upstream-comment"
	// NullOwned means that the config has a null, which deletes nothing and is owned all the same
	// (rules/server-side-apply: null).
	NullOwned RemarkKind = "null-owned"
	// LeftToOthers means that the config dropped a list element whose key other managers own, so that a part of
	// it stays (rules/server-side-apply: dropped elements).
	LeftToOthers RemarkKind = "left-to-others"
	// OtherVersions means that managers own fields of the object in another apiVersion
	// (rules/server-side-apply: another apiVersion).
	OtherVersions RemarkKind = "other-versions"
)

// Remark is a message about a decision that is not a conflict: an info in the results (rules/conflicts: results).
type Remark struct {
	Kind RemarkKind
	Path *Path
	// Values are the three versions, nil where absent.
	Values [3]*yaml.Node
	// Chosen is the side whose version the result has, if the remark is about one value.
	Chosen identity.Side
	// Comment is the first line of the lost comment, of OwnComment and UpstreamComment.
	Comment string
}

// decision is the decision about an element and all below it.
type decision struct {
	verdict Verdict
	// children are the decisions about the element's children, in their order, if the parts are merged.
	children []decision
	// made is the value of the result, if it is neither side's.
	made *yaml.Node
	// order lists the children that the result has, in its order.
	order     []int
	conflicts []Conflict
	remarks   []Remark
}

// conflicting reports whether there is a conflict at or below the decision.
func (d decision) conflicting() bool {
	return len(d.conflicts) > 0 || slices.ContainsFunc(d.children, decision.conflicting)
}

// silenceChildren removes the conflicts and remarks below the decision, because it has one of its own for them.
func (d *decision) silenceChildren() {
	d.children = slices.Clone(d.children)
	for i := range d.children {
		d.children[i].conflicts, d.children[i].remarks = nil, nil
		d.children[i].silenceChildren()
	}
}

// gather adds the conflicts and remarks at and below the decision, in document order.
func (d decision) gather(out *Outcome) {
	out.Conflicts, out.Remarks = append(out.Conflicts, d.conflicts...), append(out.Remarks, d.remarks...)
	for _, c := range d.children {
		c.gather(out)
	}
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

// remark adds a remark about e.
func (d *decision) remark(kind RemarkKind, e *element) {
	d.remarks = append(d.remarks, Remark{Kind: kind, Path: e.path, Values: e.value})
}

// commentRemark adds a remark about a lost comment of e with its first line.
func (d *decision) commentRemark(kind RemarkKind, e *element, line string) {
	d.remark(kind, e)
	d.remarks[len(d.remarks)-1].Comment = line
}

// conflict adds a conflict about e, and returns it.
func (d *decision) conflict(kind Kind, e *element, chosen identity.Side) *Conflict {
	d.conflicts = append(d.conflicts, Conflict{Kind: kind, Path: e.path, Values: e.value, Chosen: chosen})
	return &d.conflicts[len(d.conflicts)-1]
}

// Preference is the way in which a policy resolves conflicts (rules/conflicts: policies).
type Preference int

const (
	// PreferUpstream takes upstream's version.
	PreferUpstream Preference = iota
	// PreferLocal takes local's.
	PreferLocal
	// PreferUnion keeps the additions and removals of both sides in a list without keys. Everything else is upstream's.
	PreferUnion
	// PreferFail takes local's version, in a run that is going to fail.
	PreferFail
	// MarkUpstream and MarkLocal are for merging twice, once for each side, so that the results differ in the conflicts
	// alone: a conflict has the side's whole value, or nothing if the side has none (rules/git: the commands).
	MarkUpstream
	MarkLocal

	// PreferNewest takes the newer of two versions (rules/conflicts: newest). Everything else is
	// upstream's, or decided by another preference added with |.
	PreferNewest Preference = 1 << 4
)

// Policy returns the preference for conflicts at a path.
type Policy func(*Path) Preference

// Prefer returns a policy with one preference for all paths.
func Prefer(p Preference) Policy {
	return func(*Path) Preference { return p }
}

// otherwise returns the preference for everything but versions.
func (p Policy) otherwise(path *Path) Preference { return p(path) &^ PreferNewest }

// Fails reports whether a conflict at a path fails the run.
func (p Policy) Fails(path *Path) bool { return p.otherwise(path) == PreferFail }

// withoutNewest returns a policy that does not compare versions.
func (p Policy) withoutNewest() Policy { return p.otherwise }

// Marks reports whether conflicts at a path get markers. Then no rule takes a side by itself.
func (p Policy) Marks(path *Path) bool {
	preferred := p.otherwise(path)
	return preferred == MarkUpstream || preferred == MarkLocal
}

// Side returns the side that wins conflicts at a path, if one side wins.
func (p Policy) Side(path *Path) identity.Side {
	if preferred := p.otherwise(path); preferred == PreferLocal || preferred == PreferFail || preferred == MarkLocal {
		return local
	}
	return upstream
}

// Verdict is the decision about a resource or an element of it. The zero Verdict is an error, so that no case
// is forgotten.
type Verdict int

const (
	undecided Verdict = iota
	// Drop removes it from the result.
	Drop
	// TakeLocal and TakeUpstream take that side's version.
	TakeLocal
	TakeUpstream
	// MergeParts merges it field by field or element by element.
	MergeParts

	// takeMade takes a value that was made of both sides'.
	takeMade
)

func take(side identity.Side) Verdict {
	if side == upstream {
		return TakeUpstream
	}
	return TakeLocal
}
