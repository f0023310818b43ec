package gitdriver

import (
	"bytes"
	"context"
	"errors"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// Merge merges a file. What git merges without a conflict stands, unless it cannot
// be read any more or has something twice. Markers have git's style where the format has
// none; git is asked for it only where there are some. Git merges the lines, where it is not
// certain without it what comes of them. An error is one of git or of the machine.
func (g Git) Merge(ctx context.Context, v Versions, f marker.Format) (Merged, error) {
	if text, found := v.trivial(); found {
		return Merged{Text: text, Way: AsItIs}, nil
	}
	fields := &fields{v: v, f: f}
	lines, conflicts := []byte(nil), 0
	text, what := v.certain()
	if what == apart {
		lines = text
	} else {
		if what == collided {
			if pieces, err := fields.merge(ctx); err == nil && !pieces.Conflict() {
				return Merged{Text: f.Render(pieces), Way: ByFields}, nil
			}
		}
		var err error
		lines, conflicts, err = g.MergeLines(ctx, v, f)
		if errors.Is(err, errBinary) {
			return Merged{Text: v.Texts[marker.Ours], Conflicts: 1, Way: NotMerged, Reason: err.Error()}, nil
		}
		if err != nil {
			return Merged{Way: ByLines}, err
		}
	}
	return g.better(ctx, fields, Merged{Text: lines, Conflicts: conflicts, Way: ByLines})
}

// better is the merge by fields where it is better than that by lines.
func (g Git) better(ctx context.Context, fields *fields, byLines Merged) (Merged, error) {
	v, f := fields.v, fields.f
	if byLines.Conflicts == 0 {
		if wrong := v.wrong(byLines.Text); wrong != "" {
			return g.instead(ctx, fields, byLines, wrong)
		}
		return byLines, nil
	}
	pieces, err := fields.merge(ctx)
	if err != nil {
		byLines.Reason = err.Error()
		return byLines, ctx.Err()
	}
	if !pieces.Conflict() {
		return Merged{Text: f.Render(pieces), Way: ByFields}, nil
	}
	if f.Style == "" {
		if f.Style, err = g.style(ctx); err != nil {
			return byLines, err
		}
	}
	gits := f.MarkedLines(byLines.Text)
	pieces = v.smaller(pieces, gits)
	n, marked := pieces.Conflicts()
	if marked > gits {
		byLines.Reason = "its fields collide more than its lines"
		return byLines, nil
	}
	return Merged{Text: f.Render(pieces), Conflicts: n, Way: ByFields}, nil
}

// wrong says what is wrong with a merge of lines that do not collide (rules/git: never
// worse than git), "" if nothing is.
func (v Versions) wrong(merged []byte) string {
	misplaced := v.mayMisplace(merged)
	if (misplaced || v.mayRepeat()) && v.damaged(merged) {
		return "but what comes of them has something twice, or is no YAML"
	}
	if misplaced || mayAlias(merged) {
		if where, found := v.unkept(merged); found {
			return "but not as both sides changed " + where
		}
	}
	if where, found := v.mixed(merged); found {
		return "but not as both sides changed " + where
	}
	return ""
}

// instead is the merge by fields where that by lines is wrong, though no lines collide. Where
// the fields cannot be merged, the lines stand. Where the fields do not collide either, and
// what comes of them is wrong in a list without keys, ours and theirs are what collides.
func (g Git) instead(ctx context.Context, fields *fields, byLines Merged, wrong string) (Merged, error) {
	pieces, err := fields.merge(ctx)
	if err != nil {
		byLines.Reason = "its lines do not collide, " + wrong + "; and " + err.Error()
		return byLines, ctx.Err()
	}
	v, f := fields.v, fields.f
	if _, unkept := v.unkept(f.Render(pieces)); unkept && !pieces.Conflict() {
		pieces = marker.Lines(v.Texts[marker.Ours], v.Texts[marker.Theirs])
	}
	pieces = v.smaller(pieces, 0)
	n, _ := pieces.Conflicts()
	if n == 0 && bytes.Equal(f.Render(pieces), byLines.Text) {
		return byLines, nil
	}
	if n > 0 && f.Style == "" {
		if f.Style, err = g.style(ctx); err != nil {
			return byLines, err
		}
	}
	return Merged{Text: f.Render(pieces), Conflicts: n, Way: ByFields, Wrong: wrong}, nil
}

// fields is the merge of a file field by field, which is done once at most.
type fields struct {
	v      Versions
	f      marker.Format
	done   bool
	pieces marker.Pieces
	err    error
}

func (m *fields) merge(ctx context.Context) (marker.Pieces, error) {
	if !m.done {
		m.done = true
		m.pieces, m.err = byFields(ctx, m.v, m.f)
	}
	return m.pieces, m.err
}

// smaller are pieces that mark no more lines than git, if that can be: what ours and theirs
// have alike stands outside of the markers, at their ends or, where every mixture can be
// read, in their midst.
func (v Versions) smaller(pieces marker.Pieces, gits int) marker.Pieces {
	if _, marked := pieces.Conflicts(); marked <= gits {
		return pieces
	}
	pieces = pieces.Trimmed()
	if _, marked := pieces.Conflicts(); marked <= gits {
		return pieces
	}
	if split := pieces.Split(); v.mixes(split) {
		return split
	}
	return pieces
}

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
