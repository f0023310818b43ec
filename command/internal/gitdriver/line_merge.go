package gitdriver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/align"
)

// maxLineMerge limits the size in bytes of versions whose lines are merged without git.
const maxLineMerge = 1 << 20

// hunk is a change of one side: base's lines from lo to hi became the side's lines from start to end.
type hunk struct {
	side       marker.Side
	common     bool // set if the other side has the same change
	lo, hi     int
	start, end int
	// fixed means that every diff has the change there: none of base's lines is in the side, none
	// of the side's is in base, and an addition cannot move.
	fixed bool
}

// mergeCertainLines merges lines without git if every diff algorithm gives the same result (rules/git: when git runs):
// between any two changes of the sides is a line that occurs once in each version, or both changes are fixed. No
// algorithm moves a change over such a line. So git is not started for most files that merge.
func (v Versions) mergeCertainLines() (text []byte, certain bool) {
	var lines [3][]string
	for side, text := range v.Texts {
		if len(text) > maxLineMerge || isBinary(text) {
			return nil, false
		}
		lines[side] = slices.Collect(strings.Lines(string(text)))
	}
	counts := countLines(lines)
	ours, oursCertain := findHunks(lines, marker.Ours, counts)
	theirs, theirsCertain := findHunks(lines, marker.Theirs, counts)
	if !oursCertain || !theirsCertain {
		return nil, false
	}
	hunks := append(ours, theirs...)
	slices.SortStableFunc(hunks, func(a, b hunk) int { return cmp.Compare(a.lo, b.lo) })
	return applyHunks(joinEqualHunks(hunks, lines), lines, counts)
}

// applyHunks replaces the hunks of the base by the sides' lines. It reports false if two changes of different sides are
// not certainly apart.
func applyHunks(hunks []hunk, lines [3][]string, counts map[string][3]int) (text []byte, certain bool) {
	at := 0
	for i, h := range hunks {
		if i > 0 && (hunks[i-1].common || h.common || hunks[i-1].side != h.side) && !areApart(hunks[i-1], h, lines[marker.Base], counts) {
			return nil, false
		}
		text = appendLines(text, lines[marker.Base][at:h.lo])
		text = appendLines(text, lines[h.side][h.start:h.end])
		at = h.hi
	}
	return appendLines(text, lines[marker.Base][at:]), true
}

// areApart reports whether no diff algorithm lets two changes of two sides collide; a comes first.
func areApart(a, b hunk, base []string, counts map[string][3]int) bool {
	return b.lo > a.hi && (a.fixed && b.fixed || slices.ContainsFunc(base[a.hi:b.lo], func(line string) bool { return isAnchor(counts, line) }))
}

// joinEqualHunks joins equal hunks of both sides in a sorted list.
func joinEqualHunks(hunks []hunk, lines [3][]string) (out []hunk) {
	for _, h := range hunks {
		if last := len(out) - 1; last >= 0 {
			if a := out[last]; a.side != h.side && a.lo == h.lo && a.hi == h.hi && slices.Equal(lines[a.side][a.start:a.end], lines[h.side][h.start:h.end]) {
				out[last].common = true
				continue
			}
		}
		out = append(out, h)
	}
	return out
}

// countLines counts how often each version has a line.
func countLines(lines [3][]string) map[string][3]int {
	counts := make(map[string][3]int, len(lines[marker.Base]))
	for side := range lines {
		for _, line := range lines[side] {
			c := counts[line]
			c[side]++
			counts[line] = c
		}
	}
	return counts
}

// findHunks returns the changes of a side. They are certain if every shortest diff keeps the same lines, except for
// repeated ones: all lines that the side lost are gone from it, or all lines that it added are new.
func findHunks(lines [3][]string, side marker.Side, counts map[string][3]int) (hunks []hunk, certain bool) {
	base, changed := lines[marker.Base], lines[side]
	allRemoved, allNew := true, true
	for _, h := range align.Hunks(align.Lines(base, changed), len(changed)) {
		removed := !slices.ContainsFunc(base[h.ALo:h.AHi], func(line string) bool { return counts[line][side] > 0 })
		added := !slices.ContainsFunc(changed[h.BLo:h.BHi], func(line string) bool { return counts[line][marker.Base] > 0 })
		allRemoved, allNew = allRemoved && removed, allNew && added
		hunks = append(hunks, hunk{side: side, lo: h.ALo, hi: h.AHi, start: h.BLo, end: h.BHi, fixed: removed && added})
	}
	for i, h := range hunks {
		above := h.lo == 0 || isAnchor(counts, base[h.lo-1])
		below := h.hi == len(base) || isAnchor(counts, base[h.hi])
		hunks[i].fixed = h.fixed && (allRemoved && allNew || h.lo < h.hi || above && below)
	}
	return hunks, allRemoved || allNew
}

// isAnchor reports whether each version has a line exactly once.
func isAnchor(counts map[string][3]int, line string) bool { return counts[line] == [3]int{1, 1, 1} }

func appendLines(text []byte, lines []string) []byte {
	for _, line := range lines {
		text = append(text, line...)
	}
	return text
}

// errBinary means that git does not merge a file.
var errBinary = errors.New("binary files are not merged")

// exitUsage is git's exit code for an unknown option.
const exitUsage = 129

// MergeLines merges three versions line by line, as git does, and returns the number of conflicts.
// Its markers are in the format's style, or in git's default style.
func (g Git) MergeLines(ctx context.Context, v Versions, f marker.Format) (text []byte, conflicts int, err error) {
	// git merge uses another algorithm than git merge-file, which can be told since 2.44.
	if !g.isOld {
		text, conflicts, err = g.mergeFile(ctx, v, f, "--diff-algorithm=histogram")
	}
	if g.isOld || conflicts == exitUsage {
		text, conflicts, err = g.mergeFile(ctx, v, f)
	}
	return text, conflicts, err
}

// mergeFile merges three versions with git merge-file and further options. The number of conflicts
// is exitUsage if git does not know an option.
func (g Git) mergeFile(ctx context.Context, v Versions, f marker.Format, options ...string) (text []byte, conflicts int, err error) {
	if slices.ContainsFunc(v.Texts[:], isBinary) {
		return nil, 0, errBinary
	}
	dir, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	files, err := v.writeTo(dir)
	if err != nil {
		return nil, 0, err
	}
	args := mergeFileArguments(f, options)
	text, code, err := g.run(ctx, append(args, files[:]...)...)
	if code == exitUsage || code > 0 && code < 128 {
		return text, code, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("merge line by line: %w", err)
	}
	return text, 0, nil
}

// writeTo writes the versions into a directory, and returns the paths of their files.
func (v Versions) writeTo(dir string) (files [3]string, err error) {
	for side, name := range [3]string{marker.Ours: "ours", marker.Base: "base", marker.Theirs: "theirs"} {
		files[side] = filepath.Join(dir, name)
		if err := os.WriteFile(files[side], v.Texts[side], 0o600); err != nil {
			return files, err
		}
	}
	return files, nil
}

// mergeFileArguments returns the arguments of git merge-file for a format, without the files.
func mergeFileArguments(f marker.Format, options []string) []string {
	args := append([]string{"merge-file"}, options...)
	args = append(args, "-p", "-q")
	switch f.Style {
	case marker.Diff3, marker.ZealousDiff3:
		args = append(args, "--"+string(f.Style))
	}
	if f.Size > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(f.Size))
	}
	for side := range f.Labels {
		args = append(args, "-L", f.Labels[side])
	}
	return args
}

// isBinary reports whether git considers a file binary: it has a NUL byte near its start.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// style returns git's merge.conflictStyle.
func (g Git) style(ctx context.Context) (marker.Style, error) {
	switch style, err := g.config(ctx, "merge.conflictStyle"); marker.Style(style) {
	case marker.Diff3, marker.ZealousDiff3:
		return marker.Style(style), err
	default:
		return marker.Merge, err
	}
}
