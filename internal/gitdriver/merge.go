package gitdriver

import (
	"bytes"
	"context"
	"errors"

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
}

// Merge merges a file. What git merges without a conflict stands, unless it cannot
// be read any more or has something twice. An error is one of git or of the machine.
func (g Git) Merge(ctx context.Context, v Versions, f marker.Format) (Merged, error) {
	if text, found := v.trivial(); found {
		return Merged{Text: text, Way: AsItIs}, nil
	}
	lines, conflicts, err := g.MergeLines(ctx, v, f)
	if errors.Is(err, errBinary) {
		return Merged{Text: v.Texts[marker.Ours], Conflicts: 1, Way: NotMerged, Reason: err.Error()}, nil
	}
	byLines := Merged{Text: lines, Conflicts: conflicts, Way: ByLines}
	if err != nil {
		return byLines, err
	}
	harm := none
	if conflicts == 0 {
		if harm = v.damageOf(lines); harm == none {
			return byLines, nil
		}
	}
	pieces, err := byFields(ctx, v, f)
	if err != nil {
		byLines.Reason = err.Error()
		return byLines, ctx.Err()
	}
	n, marked := pieces.Conflicts()
	switch {
	case n > 0 && harm == doubled:
		return byLines, nil
	case n > 0 && harm == spoilt:
		byLines.Reason = "its lines do not collide, but what comes of them has something twice, or is no YAML"
		return byLines, nil
	case n > conflicts && conflicts > 0 && marked > f.Marked(lines):
		byLines.Reason = "its fields collide more than its lines"
		return byLines, nil
	}
	return Merged{Text: f.Render(pieces), Conflicts: n, Way: ByFields}, nil
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
