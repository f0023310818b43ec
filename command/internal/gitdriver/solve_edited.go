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

// leftByGit finds the text that git left in an unmerged file, among those that its ways to
// compare lines and its conflict styles give, and reports whether the file is still this text
// but for the labels of markers. If it is not, left is the text that shares most markers with the
// file.
func (g Git) leftByGit(ctx context.Context, u unmerged, v Versions, f marker.Format, was []byte) (left marker.Pieces, unedited bool, err error) {
	now, most := f.Parse(was), -1
	for _, style := range stylesOf(f, was) {
		f.Style = style
		texts, err := g.linesLeft(ctx, u, v, f)
		if err != nil {
			return nil, false, err
		}
		for _, text := range texts {
			pieces := f.Parse(text)
			if sameButLabels(now, pieces) {
				return pieces, true, nil
			}
			if n := sharedMarkers(now, pieces); n > most {
				left, most = pieces, n
			}
		}
	}
	return left, false, nil
}

// stylesOf are the conflict styles in which git may have written the markers of a text:
// only two of them show the base.
func stylesOf(f marker.Format, text []byte) []marker.Style {
	if bytes.Contains(text, []byte("\n"+strings.Repeat("|", max(f.Size, 7)))) {
		return []marker.Style{marker.Diff3, marker.ZealousDiff3}
	}
	return []marker.Style{marker.Merge}
}

// linesLeft are the texts that git may have left in a file in one style. Which algorithm it
// compared lines with depends on its version and configuration, and git merge-file can be told
// since 2.44; for an older git, git merge-tree merges the file once more as git merge did.
func (g Git) linesLeft(ctx context.Context, u unmerged, v Versions, f marker.Format) (texts [][]byte, err error) {
	for _, algorithm := range []string{"histogram", "myers", "patience", "minimal"} {
		text, conflicts, err := g.mergeFile(ctx, v, f, "--diff-algorithm="+algorithm)
		if err != nil {
			return nil, err
		}
		if conflicts == usage {
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

// mergeTree merges the stages of a file as git merge does: as commits of one file each,
// which nothing refers to. An error may say that git is older than 2.38.
func (g Git) mergeTree(ctx context.Context, u unmerged, f marker.Format) ([]byte, error) {
	const name = "merged"
	var commits [4]string
	for _, stage := range []int{1, 2, 3} {
		entry := ""
		if u.ids[stage] != "" {
			entry = fmt.Sprintf("%s blob %s\t%s\n", u.modes[stage], u.ids[stage], name)
		}
		tree, _, err := gitrepo.Inside(ctx, g.Dir, strings.NewReader(entry), "mktree")
		if err != nil {
			return nil, err
		}
		args := []string{"-c", "user.name=resource-merge", "-c", "user.email=resource-merge", "commit-tree", "-m", name}
		if stage > 1 {
			args = append(args, "-p", commits[1])
		}
		commit, err := g.output(ctx, append(args, strings.TrimSpace(string(tree)))...)
		if err != nil {
			return nil, err
		}
		commits[stage] = strings.TrimSpace(string(commit))
	}
	tree, code, err := g.run(ctx, "-c", "merge.conflictStyle="+string(f.Style), "merge-tree", "--write-tree", commits[2], commits[3])
	if code > 1 || err != nil && code == 0 {
		return nil, err
	}
	id, _, _ := bytes.Cut(tree, []byte("\n"))
	return g.output(ctx, "cat-file", "--filters", "--path="+u.path, string(id)+":"+name)
}

// sameButLabels reports whether two texts with markers are the same but for the labels.
func sameButLabels(a, b marker.Pieces) bool { return slices.EqualFunc(a, b, samePiece) }

func samePiece(a, b marker.Piece) bool {
	same := a.Conflict == b.Conflict && bytes.Equal(a.Same, b.Same)
	for side := range a.Sides {
		same = same && bytes.Equal(a.Sides[side], b.Sides[side])
	}
	return same
}

// sharedMarkers counts the markers of a text that another text has too.
func sharedMarkers(now, left marker.Pieces) (n int) {
	for _, p := range now {
		if p.Conflict && slices.ContainsFunc(left, func(q marker.Piece) bool { return samePiece(p, q) }) {
			n++
		}
	}
	return n
}

// edited is an unmerged file that somebody has edited since git stopped.
type edited struct {
	v Versions
	f marker.Format
	// was is the file's text now, merged the merge by fields, and left the text that git left.
	was, merged []byte
	left        marker.Pieces
}

// solveEdited solves the markers of an edited file that are still git's, byte for byte, and
// next to which nothing was edited. The file is not staged: its editor knows when it is done.
func (g Git) solveEdited(ctx context.Context, u unmerged, e edited, name string) (said string, conflicts bool, err error) {
	const untouched = "edited since git stopped: left as it is"
	bases, err := g.bases(ctx, u, e)
	if err != nil {
		return "", false, err
	}
	text, solved := e.solve(bases)
	pieces := e.f.Parse(text)
	if bytes.Equal(text, e.was) || !e.v.mixes(pieces) {
		return untouched, true, nil
	}
	if err := writeFile(name, text); err != nil {
		return "", false, err
	}
	left, _ := pieces.Conflicts()
	return fmt.Sprintf("edited since git stopped: %d of its markers solved, %d left; look at it and add it", solved, left), true, nil
}

// solve replaces the markers that can be solved, and counts those that are gone.
func (e edited) solve(bases [][]byte) (text []byte, solved int) {
	now, solutions := e.f.Parse(e.was), e.solutions(bases)
	standing := e.standing(now)
	rest := e.was
	for i, p := range now {
		var raw []byte
		if raw, rest = e.cut(rest, p); p.Conflict && standing[i] >= 0 {
			if lines, found := solutions[standing[i]]; found {
				raw = lines
				if !e.f.HasMarker(lines) {
					solved++
				}
			}
		}
		text = append(text, raw...)
	}
	return text, solved
}

// cut cuts a piece off the text that begins with it.
func (e edited) cut(text []byte, p marker.Piece) (raw, rest []byte) {
	n := len(p.Same)
	if p.Conflict {
		for line := range bytes.Lines(text) {
			n += len(line)
			if mark, found := e.f.MarkerOf(line); found && mark == '>' {
				break
			}
		}
	}
	return text[:n], text[n:]
}

// standing is, for each piece of the file's text, the index of the piece that git left if it is a
// marker of git's between texts that nobody edited, else -1.
func (e edited) standing(now marker.Pieces) []int {
	markers, next := make([]int, len(now)), 0
	for i, p := range now {
		markers[i] = -1
		for at := next; p.Conflict && at < len(e.left); at++ {
			if e.left[at].Conflict && samePiece(p, e.left[at]) && bytes.HasSuffix(unmarked(now, i-1), unmarked(e.left, at-1)) &&
				bytes.HasPrefix(unmarked(now, i+1), unmarked(e.left, at+1)) {
				markers[i], next = at, at+1
				break
			}
		}
	}
	out := slices.Clone(markers)
	for i, at := range markers {
		if at >= 0 && !(e.unedited(now, markers, i, -1) && e.unedited(now, markers, i, 1)) {
			out[i] = -1
		}
	}
	return out
}

// unedited reports whether the whole text between a marker and the one before it (step -1)
// or after it (step 1) is as git left it. Where somebody has settled that one by hand, it is
// enough that the text begins or ends so.
func (e edited) unedited(now marker.Pieces, markers []int, i, step int) bool {
	next, nextLeft := i+2*step, markers[i]+2*step
	inside, insideLeft := next >= 0 && next < len(now), nextLeft >= 0 && nextLeft < len(e.left)
	settled := inside || insideLeft
	if inside && insideLeft {
		settled = markers[next] != nextLeft && (markers[next] >= 0 || !samePiece(now[next], e.left[nextLeft]))
	}
	return settled || bytes.Equal(unmarked(now, i+step), unmarked(e.left, markers[i]+step))
}

// unmarked is the text of a piece without a conflict, empty where there is none.
func unmarked(p marker.Pieces, i int) []byte {
	if i < 0 || i >= len(p) || p[i].Conflict {
		return nil
	}
	return p[i].Same
}

// solutions are, by the index of git's marker, the lines that the merge by fields has in its
// place. There are none if that merge differs from git's text outside of the markers: then
// no marker can be solved alone. bases are the base's lines of each marker; a solution drops
// no other line, since it may have put it where somebody edited.
func (e edited) solutions(bases [][]byte) map[int][]byte {
	var left, merged []string
	for _, p := range e.left {
		if p.Conflict {
			left = append(left, "") // no line is empty, so nothing is equal to it
		}
		left = slices.AppendSeq(left, strings.Lines(string(p.Same)))
	}
	merged = slices.AppendSeq(merged, strings.Lines(string(e.merged)))
	match := align.Pairs(numbered(left, merged))
	out, at, next := map[int][]byte{}, 0, 0
	for i, p := range e.left {
		if p.Conflict {
			end := len(merged)
			if at++; at < len(left) {
				end = match[at]
			}
			if end < next {
				return nil
			}
			lines := []byte(strings.Join(merged[next:end], ""))
			if i < len(bases) && conserves(p, lines, bases[i]) {
				out[i] = lines
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
	if next != len(merged) {
		return nil
	}
	return out
}

// numbered numbers the lines of two texts: equal lines have equal numbers.
func numbered(a, b []string) (x, y []int) {
	numbers := map[string]int{}
	number := func(lines []string) (out []int) {
		for _, line := range lines {
			if _, found := numbers[line]; !found {
				numbers[line] = len(numbers)
			}
			out = append(out, numbers[line])
		}
		return out
	}
	return number(a), number(b)
}

// conserves reports whether a solution has every line of both sides of a marker that the base
// does not have there.
func conserves(p marker.Piece, solution, base []byte) bool {
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

// bases are the lines of the base in the place of each piece that git left. They come from a
// diff3 merge of the same lines, whose markers are as large or larger.
func (g Git) bases(ctx context.Context, u unmerged, e edited) ([][]byte, error) {
	f := e.f
	f.Style = marker.Diff3
	texts, err := g.linesLeft(ctx, u, e.v, f)
	if err != nil {
		return nil, err
	}
	ours := func(int) marker.Side { return marker.Ours }
	for _, text := range texts {
		if large := f.Parse(text); bytes.Equal(large.Resolve(ours), e.left.Resolve(ours)) {
			return basesOf(e.left, large), nil
		}
	}
	return nil, nil
}

// basesOf finds the base of each marker by where its lines of ours stand.
func basesOf(left, large marker.Pieces) [][]byte {
	out, at, n, start := make([][]byte, len(left)), 0, 0, 0
	for i, p := range left {
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
