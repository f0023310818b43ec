package pkgmerge

import (
	"cmp"
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
)

// SkippedFileError is the error of a file that was left out on one side while
// another side has a resource there: that would seem to be deleted, or added.
type SkippedFileError struct {
	SkippedFile
	// Side is the side that lacks the file, and Source what messages call the place
	// where that side came from.
	Side   identity.Side
	Source string
	// Other is the side that has Resource there.
	Other    identity.Side
	Resource *Resource
}

// Error says which file it is and what the other side has there.
func (e *SkippedFileError) Error() string {
	return fmt.Sprintf("%s: %s is no YAML, but the %s side has %s there: %s", e.Source, e.File, e.Other, e.Resource.ID(), e.Reason)
}

// checkSkipped finds a file that was left out on one side and has resources on
// another.
func (m *merger) checkSkipped() error {
	bad := map[string]*SkippedFileError{}
	for _, side := range identity.Sides() {
		for _, s := range m.packages[side].Skipped {
			bad[s.File] = &SkippedFileError{SkippedFile: s, Side: side, Source: m.source(side)}
		}
	}
	for _, side := range identity.Sides() {
		for _, r := range m.packages[side].Resources {
			if e := bad[r.File]; e != nil && r.File != "" {
				e.Other, e.Resource = side, r
				return e
			}
		}
	}
	return nil
}

// skippedFiles warn of the files that were left out.
func (m *merger) skippedFiles() []Notice {
	var out []Notice
	for _, side := range identity.Sides() {
		for _, s := range m.packages[side].Skipped {
			text := fmt.Sprintf("%s: %s is no YAML and left out: %s", m.source(side), s.File, s.Reason)
			out = append(out, Notice{Warning: true, File: s.File, Text: text})
		}
	}
	return out
}

// source is what messages call the place where a side came from.
func (m *merger) source(side identity.Side) string {
	return cmp.Or(m.packages[side].Source, side.String())
}
