package gitdriver

import (
	"context"
	"errors"

	"github.com/resource-merge/resource-merge/internal/marker"
)

// Merge merges a file. What git merges without a conflict stands, unless it cannot
// be read any more or has something twice. Markers have git's style where the format has
// none; git is asked for it only where there are some. An error is one of git or of the machine.
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
	n, _ := pieces.Conflicts()
	if n > 0 && f.Style == "" {
		if f.Style, err = g.style(ctx); err != nil {
			return byLines, err
		}
	}
	if conflicts > 0 {
		pieces = v.smaller(pieces, f, f.Marked(lines))
	}
	n, marked := pieces.Conflicts()
	switch {
	case n > 0 && harm == doubled:
		return byLines, nil
	case n > 0 && harm == spoilt:
		byLines.Reason = "its lines do not collide, but what comes of them has something twice, or is no YAML"
		return byLines, nil
	case n >= conflicts && conflicts > 0 && marked > f.Marked(lines) && (n > conflicts || v.mixes(f.Parse(lines))):
		byLines.Reason = "its fields collide more than its lines"
		return byLines, nil
	}
	return Merged{Text: f.Render(pieces), Conflicts: n, Way: ByFields}, nil
}

// smaller are pieces that mark no more lines than git, if that can be: what ours and theirs
// have alike stands outside of the markers, at their ends or, where no base is
// shown and every mixture can be read, in their midst.
func (v Versions) smaller(pieces marker.Pieces, f marker.Format, gits int) marker.Pieces {
	if _, marked := pieces.Conflicts(); marked <= gits {
		return pieces
	}
	pieces = pieces.Trimmed()
	if _, marked := pieces.Conflicts(); marked <= gits || f.Style != marker.Merge {
		return pieces
	}
	if split := pieces.Split(); v.mixes(split) {
		return split
	}
	return pieces
}
