package gitdriver

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// findOriginal finds the text that git left in an unmerged file, among the texts of its diff algorithms and conflict
// styles, and reports whether the file is still this text except for the labels of markers. Otherwise it returns the
// text that has the most markers in common with the file.
func (g Git) findOriginal(ctx context.Context, u unmerged, v Versions, f marker.Format, current []byte) (original marker.Pieces, unedited bool, err error) {
	edited, most := f.Parse(current), -1
	for _, style := range possibleStyles(f, current) {
		f.Style = style
		texts, err := g.originalTexts(ctx, u, v, f)
		if err != nil {
			return nil, false, err
		}
		for _, text := range texts {
			pieces := f.Parse(text)
			if equalExceptLabels(edited, pieces) {
				return pieces, true, nil
			}
			if n := countShared(edited, pieces); n > most {
				original, most = pieces, n
			}
		}
	}
	return original, false, nil
}

// possibleStyles returns the conflict styles in which git may have written the markers of a text:
// only two of them show the base.
func possibleStyles(f marker.Format, text []byte) []marker.Style {
	if bytes.Contains(text, []byte("\n"+strings.Repeat("|", max(f.Size, 7)))) {
		return []marker.Style{marker.Diff3, marker.ZealousDiff3}
	}
	return []marker.Style{marker.Merge}
}

// originalTexts returns the texts that git may have left in a file in one style. The diff algorithm
// depends on git's version and configuration, and git merge-file has an option for it since 2.44.
// With an older git, git merge-tree repeats the merge of the file.
func (g Git) originalTexts(ctx context.Context, u unmerged, v Versions, f marker.Format) (texts [][]byte, err error) {
	for _, algorithm := range []string{"histogram", "myers", "patience", "minimal"} {
		text, conflicts, err := g.mergeFile(ctx, v, f, "--diff-algorithm="+algorithm)
		if err != nil {
			return nil, err
		}
		if conflicts == exitUsage {
			break
		}
		texts = append(texts, text)
	}
	if len(texts) > 0 {
		return texts, nil
	}
	text, _, err := g.mergeFile(ctx, v, f)
	if err != nil {
		return nil, err
	}
	texts = append(texts, text)
	if text, err = g.mergeTree(ctx, u, f); err == nil {
		texts = append(texts, text)
	}
	return texts, ctx.Err()
}

// mergeTree merges the stages of a file as git merge does: as commits of one file each, to which no
// reference points. It fails with a git before 2.38.
func (g Git) mergeTree(ctx context.Context, u unmerged, f marker.Format) ([]byte, error) {
	var entries strings.Builder
	for stage := 1; stage <= 3; stage++ {
		if u.ids[stage] != "" {
			fmt.Fprintf(&entries, "%s blob %s\t%s\n", u.modes[stage], u.ids[stage], stageName)
		}
		entries.WriteString("\n") // the end of a tree, which may be empty
	}
	out, _, err := gitrepo.Inside(ctx, g.Dir, strings.NewReader(entries.String()), "mktree", "--batch")
	if err != nil {
		return nil, err
	}
	var commits [4]string
	for i, tree := range strings.Fields(string(out)) {
		if commits[i+1], err = g.commitStage(ctx, tree, commits[1]); err != nil {
			return nil, err
		}
	}
	tree, code, err := g.run(ctx, "-c", "merge.conflictStyle="+string(f.Style), "merge-tree", "--write-tree", commits[2], commits[3])
	if code > 1 || err != nil && code == 0 {
		return nil, err
	}
	id, _, _ := bytes.Cut(tree, []byte("\n"))
	return g.output(ctx, "cat-file", "--filters", "--path="+u.path, string(id)+":"+stageName)
}

// stageName is the name of the file in the commits of its stages.
const stageName = "merged"

// commitStage makes a commit of the tree of a stage, on top of a base if that is not "", and returns its id.
func (g Git) commitStage(ctx context.Context, tree, base string) (string, error) {
	args := []string{"-c", "user.name=resource-merge", "-c", "user.email=resource-merge", "commit-tree", "-m", stageName}
	if base != "" {
		args = append(args, "-p", base)
	}
	commit, err := g.output(ctx, append(args, tree)...)
	return strings.TrimSpace(string(commit)), err
}

// equalExceptLabels reports whether two texts with markers are equal except for the labels.
func equalExceptLabels(a, b marker.Pieces) bool { return slices.EqualFunc(a, b, equalPieces) }

func equalPieces(a, b marker.Piece) bool {
	same := a.Conflict == b.Conflict && bytes.Equal(a.Same, b.Same)
	for side := range a.Sides {
		same = same && bytes.Equal(a.Sides[side], b.Sides[side])
	}
	return same
}

// countShared counts the markers that two texts have in common.
func countShared(edited, original marker.Pieces) (n int) {
	for _, p := range edited {
		if p.Conflict && slices.ContainsFunc(original, func(q marker.Piece) bool { return equalPieces(p, q) }) {
			n++
		}
	}
	return n
}

// editedFile is an unmerged file that was edited since git stopped.
type editedFile struct {
	v Versions
	f marker.Format
	// current is the file's text, merged is the merge by fields.
	current, merged []byte
	original        marker.Pieces
}

// solveEdited solves the markers of an edited file that are still git's, byte for byte, and have no edits next to them.
// It does not add the file to the index: the user decides when the file is done.
func (g Git) solveEdited(ctx context.Context, u unmerged, e editedFile, w workFile) (status string, conflicts bool, err error) {
	const untouched = "edited since git stopped: left as it is"
	bases, err := g.bases(ctx, u, e)
	if err != nil {
		return "", false, err
	}
	text, solved := e.solve(bases)
	pieces := e.f.Parse(text)
	if bytes.Equal(text, e.current) || !e.v.isMixable(pieces) {
		return untouched, true, nil
	}
	if err := w.write(text); err != nil {
		return "", false, err
	}
	unsolved, _ := pieces.Conflicts()
	return fmt.Sprintf("edited since git stopped: %d of its markers solved, %d left; look at it and add it", solved, unsolved), true, nil
}

// solve replaces the markers that can be solved, and counts the ones that disappear.
func (e editedFile) solve(bases [][]byte) (text []byte, solved int) {
	now, solutions := e.f.Parse(e.current), e.solutions(bases)
	markers := e.matchMarkers(now)
	conflicts, _ := marker.Read(e.current, max(e.f.Size, 7))
	for i, p := range now {
		lines, found := p.Same, false
		if p.Conflict {
			lines, conflicts = e.current[conflicts[0].Start:conflicts[0].End], conflicts[1:]
		}
		if p.Conflict && markers[i] >= 0 {
			var solution []byte
			if solution, found = solutions[markers[i]]; found {
				lines = solution
			}
		}
		if found && !e.f.HasMarker(lines) {
			solved++
		}
		text = append(text, lines...)
	}
	return text, solved
}

// matchMarkers returns, for each piece of the file's text, the index of git's original piece if it
// is a marker of git's between unedited texts, else -1.
func (e editedFile) matchMarkers(now marker.Pieces) []int {
	markers, next := make([]int, len(now)), 0
	for i, p := range now {
		markers[i] = -1
		for at := next; p.Conflict && at < len(e.original); at++ {
			if e.original[at].Conflict && equalPieces(p, e.original[at]) && bytes.HasSuffix(commonText(now, i-1), commonText(e.original, at-1)) &&
				bytes.HasPrefix(commonText(now, i+1), commonText(e.original, at+1)) {
				markers[i], next = at, at+1
				break
			}
		}
	}
	out := slices.Clone(markers)
	for i, at := range markers {
		if at >= 0 && !(e.isUnedited(now, markers, i, -1) && e.isUnedited(now, markers, i, 1)) {
			out[i] = -1
		}
	}
	return out
}

// isUnedited reports whether the whole text between a marker and the previous one (step -1) or the next one (step 1) is
// as git left it. If that other marker was settled by hand, it is enough that the text begins or ends so.
func (e editedFile) isUnedited(now marker.Pieces, markers []int, i, step int) bool {
	next, nextLeft := i+2*step, markers[i]+2*step
	inside, insideLeft := next >= 0 && next < len(now), nextLeft >= 0 && nextLeft < len(e.original)
	settled := inside || insideLeft
	if inside && insideLeft {
		settled = markers[next] != nextLeft && (markers[next] >= 0 || !equalPieces(now[next], e.original[nextLeft]))
	}
	return settled || bytes.Equal(commonText(now, i+step), commonText(e.original, markers[i]+step))
}

// commonText returns the text of a piece that is not a conflict, nil for other pieces.
func commonText(p marker.Pieces, i int) []byte {
	if i < 0 || i >= len(p) || p[i].Conflict {
		return nil
	}
	return p[i].Same
}

// solutions returns the lines of the merge by fields that replace each of git's markers, by the
// index of the marker. There are none if the merge by fields differs from git's text outside the
// markers: then no marker can be solved alone. bases has the base's lines of each marker. A
// solution drops no other line, since the merge may have moved the line to where somebody edited.
func (e editedFile) solutions(bases [][]byte) map[int][]byte {
	out := replacements(e.original, marker.Pieces{{Same: e.merged}})
	for i, lines := range out {
		if i >= len(bases) || !keepsLines(e.original[i], lines, bases[i]) {
			delete(out, i)
		}
	}
	return out
}

// replacements returns the lines that a text has in the place of each conflict of another one, by the index of the
// conflict, except for conflicts that it has too. It returns nil if the texts differ outside of conflicts.
func replacements(original, now marker.Pieces) map[int][]byte {
	a, b := lineTokens(original), lineTokens(now)
	match := align.Lines(a, b)
	out, at, next := map[int][]byte{}, 0, 0
	for i, p := range original {
		if p.Conflict {
			end := len(b)
			if at++; at < len(a) {
				end = match[at]
			}
			if end < next {
				return nil
			}
			if lines := strings.Join(b[next:end], ""); !strings.Contains(lines, conflictToken) {
				out[i] = []byte(lines)
			}
			next = end
			continue
		}
		for range strings.Lines(string(p.Same)) {
			if match[at] != next {
				return nil
			}
			at, next = at+1, next+1
		}
	}
	if next != len(b) {
		return nil
	}
	return out
}

// conflictToken begins the token of a conflict, which no line of a text does.
const conflictToken = "\x00"

// lineTokens returns the lines of a text, with one token for each conflict.
func lineTokens(pieces marker.Pieces) (tokens []string) {
	for _, p := range pieces {
		if p.Conflict {
			tokens = append(tokens, conflictToken+string(p.Sides[marker.Ours])+conflictToken+string(p.Sides[marker.Theirs]))
		}
		tokens = slices.AppendSeq(tokens, strings.Lines(string(p.Same)))
	}
	return tokens
}

// keepsLines reports whether a solution has every line of both sides of a marker that the base lacks there.
func keepsLines(p marker.Piece, solution, base []byte) bool {
	has := map[string]bool{"": true}
	for _, text := range [2][]byte{solution, base} {
		for line := range bytes.Lines(text) {
			has[string(bytes.TrimSpace(line))] = true
		}
	}
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		for line := range bytes.Lines(p.Sides[side]) {
			if !has[string(bytes.TrimSpace(line))] {
				return false
			}
		}
	}
	return true
}

// bases returns the lines of the base for each piece that git left. They come from a diff3 merge of
// the same lines, whose markers are at least as large.
func (g Git) bases(ctx context.Context, u unmerged, e editedFile) ([][]byte, error) {
	f := e.f
	f.Style = marker.Diff3
	texts, err := g.originalTexts(ctx, u, e.v, f)
	if err != nil {
		return nil, err
	}
	ours := func(int) marker.Side { return marker.Ours }
	for _, text := range texts {
		if large := f.Parse(text); bytes.Equal(large.Resolve(ours), e.original.Resolve(ours)) {
			return matchBases(e.original, large), nil
		}
	}
	return nil, nil
}

// matchBases finds the base of each marker by the offsets of its lines of ours.
func matchBases(original, large marker.Pieces) [][]byte {
	out, at, n, start := make([][]byte, len(original)), 0, 0, 0
	for i, p := range original {
		end := at + len(p.Same) + len(p.Sides[marker.Ours])
		for p.Conflict && n < len(large) {
			largeEnd := start + len(large[n].Same) + len(large[n].Sides[marker.Ours])
			if large[n].Conflict && start <= at && end <= largeEnd {
				out[i] = large[n].Sides[marker.Base]
				break
			}
			start, n = largeEnd, n+1
		}
		at = end
	}
	return out
}
