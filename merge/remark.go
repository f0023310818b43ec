package merge

import "go.yaml.in/yaml/v3"

// RemarkKind is the kind of a remark.
type RemarkKind string

const (
	// LinesMerged: both sides changed a string of several lines, at different
	// lines, and the result has both changes (design 3.1).
	LinesMerged RemarkKind = "lines-merged"
	// UnionTaken: both sides changed a list without keys, and the result has what
	// both added, under the policy union (design 5).
	UnionTaken RemarkKind = "union"
	// CommentReplaced: both sides changed a comment, and the result has upstream's
	// (design 5).
	CommentReplaced RemarkKind = "comment-replaced"
)

// Remark is what the merge did at a path that is no conflict, but deserves a
// word: an info of the results (design 5).
type Remark struct {
	Kind RemarkKind
	Path *Path
	// Values are the three versions, nil where absent; of a comment its text, as a
	// string.
	Values [3]*yaml.Node
}
