package merge

import "go.yaml.in/yaml/v3"

// RemarkKind is the kind of a remark.
type RemarkKind string

const (
	// LinesMerged: both sides changed a string of several lines, at different
	// lines, and the result has both changes (design 3.1).
	LinesMerged RemarkKind = "lines-merged"
	// ElementsMerged: both sides changed a list without keys, at different elements, and
	// the result has both changes (design 3.1).
	ElementsMerged RemarkKind = "elements-merged"
	// UnionTaken: both sides changed a list without keys, and the result has what
	// both added, under the policy union (design 5).
	UnionTaken RemarkKind = "union"
	// LocalRemoved: local removed a resource that upstream changed, and it stays removed
	// (design 3.8).
	LocalRemoved RemarkKind = "local-removed"
	// NullOwned: config has a null, which deletes nothing and is owned all the same
	// (design 14).
	NullOwned RemarkKind = "null-owned"
	// LeftToOthers: config dropped an element of a list, of which other managers own the
	// key, so that a part of it is left (14).
	LeftToOthers RemarkKind = "left-to-others"
	// OtherVersions: managers own fields of the object in another apiVersion (14).
	OtherVersions RemarkKind = "other-versions"
)

// Remark is what the merge did at a path that is no conflict, but deserves a
// word: an info of the results (design 5).
type Remark struct {
	Kind RemarkKind
	Path *Path
	// Values are the three versions, nil where absent.
	Values [3]*yaml.Node
}
