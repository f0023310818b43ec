package gitdriver

import (
	"bytes"

	"github.com/resource-merge/resource-merge/internal/marker"
)

// Versions are three versions of a file.
type Versions struct {
	// Path is the file's in the repository.
	Path string
	// Texts are by marker.Side.
	Texts [3][]byte
	// NoBase says that both sides added the file.
	NoBase bool
}

// Way is how a file was merged.
type Way string

const (
	// ByLines: as git does.
	ByLines Way = "lines"
	// ByFields: field by field.
	ByFields Way = "fields"
	// AsItIs: one side has what the other has, or left the file alone.
	AsItIs Way = "one side"
	// NotMerged: ours stays, and is in conflict.
	NotMerged Way = "not merged"
)

// Merged is a file that was merged.
type Merged struct {
	Text []byte
	// Conflicts is how many there are.
	Conflicts int
	Way       Way
	// Reason says why the file was not merged field by field, though its lines collide.
	Reason string
	// Wrong says what is wrong with git's merge of the lines, which had no conflict, so that the
	// fields were merged instead; "" if nothing is.
	Wrong string
}

// trivial is the result where one side at most changed the file, or both alike.
func (v Versions) trivial() ([]byte, bool) {
	ours, base, theirs := v.Texts[marker.Ours], v.Texts[marker.Base], v.Texts[marker.Theirs]
	switch {
	case bytes.Equal(ours, theirs) || bytes.Equal(base, theirs) && !v.NoBase:
		return ours, true
	case bytes.Equal(base, ours) && !v.NoBase:
		return theirs, true
	}
	return nil, false
}

// instead says why git's merge of the lines was not taken.
func (m Merged) instead() string {
	return "git merges its lines without a conflict, " + m.Wrong + "; its fields are merged instead"
}
