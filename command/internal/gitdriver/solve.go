package gitdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// Solve merges the files that the index has as unmerged, whether or not the driver ran before (rules/git: solve): files
// below the paths, or all files with the name of a YAML file. It adds files without a conflict to the index. It returns
// the number of files that still have conflicts.
func (g Git) Solve(ctx context.Context, paths []string, stdout io.Writer) (unsolved int, err error) {
	files, err := g.unmergedYAML(ctx, paths)
	if err != nil {
		return 0, err
	}
	style, err := g.style(ctx)
	if err != nil {
		return 0, err
	}
	if err := g.checkPaths(paths); err != nil && len(files) == 0 {
		return 0, err
	}
	if len(files) == 0 {
		wording.Say(stdout, "%s", nothingLeft(paths))
	}
	top, prefix, err := g.Top(ctx)
	if err == nil && len(files) > 0 {
		_, err = sink.Recover(top) // what a killed run left
	}
	if err != nil {
		return 0, err
	}
	for _, u := range files {
		status, conflicts, err := g.solveFile(ctx, u, workFile{top: top, below: path.Join(prefix, u.path)}, style)
		if err != nil {
			return unsolved, fmt.Errorf("%s: %w", u.path, err)
		}
		if conflicts {
			unsolved++
		}
		wording.Say(stdout, "%s: %s", u.path, status)
	}
	return unsolved, nil
}

// unmergedYAML returns the unmerged files below the paths, or all with the name of a YAML file.
func (g Git) unmergedYAML(ctx context.Context, paths []string) ([]unmerged, error) {
	if len(paths) > 0 {
		return g.unmerged(ctx, paths)
	}
	files, err := g.unmerged(ctx, []string{":/"}) // of the repository, whatever the working directory
	return slices.DeleteFunc(files, func(u unmerged) bool { return !isYAML(u.path) }), err
}

// checkPaths returns an error for a path that is not there, and that is no pattern of git's.
func (g Git) checkPaths(paths []string) error {
	for _, p := range paths {
		name := p
		if !filepath.IsAbs(p) {
			name = filepath.Join(g.Dir, p)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(p, "*?[:") {
			return fmt.Errorf("%s: no such file or directory, and git left no conflict there; git status lists the files in conflict", p)
		}
	}
	return nil
}

// nothingLeft says that git left no file in conflict that Solve merges.
func nothingLeft(paths []string) string {
	if len(paths) == 0 {
		return "git left no YAML file in conflict"
	}
	return "git left no conflict in " + strings.Join(paths, ", ")
}

func isYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml" || path.Base(name) == "Kptfile" || path.Base(name) == "Kustomization"
}

// solveFile merges one file and returns its status. It writes a file that is as git left it; in a
// file that was edited since, it solves only markers that are still git's.
func (g Git) solveFile(ctx context.Context, u unmerged, w workFile, style marker.Style) (status string, conflicts bool, err error) {
	if reason := u.unsolvable(); reason != "" {
		return reason, true, nil
	}
	e := editedFile{}
	if e.v, err = g.configured(ctx, u); err != nil {
		return "", false, err
	}
	name := filepath.Join(g.Dir, filepath.FromSlash(u.path))
	w.info, err = os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone from the work tree: git rm it, or restore it with git checkout --merge", true, nil
	case err == nil && !w.info.Mode().IsRegular():
		return "it is no regular file in the work tree: left as it is", true, nil
	case err == nil:
		e.current, err = file.ReadRegular(name)
	}
	if err != nil {
		return "", false, err
	}
	if slices.ContainsFunc(e.v.Texts[:], isBinary) {
		return errBinary.Error() + ": left as it is", true, nil
	}
	e.f = formatOf(e.current, style)
	switch marked := e.f.HasMarker(e.current); {
	case !marked && bytes.Equal(e.current, e.v.Texts[marker.Ours]):
		return "it is as ours has it, without markers: left as it is; git add it to keep ours", true, nil
	case !marked:
		return "it has no conflict markers any more: left as it is, to be added", true, nil
	}
	return g.solveMarkers(ctx, u, e, w)
}

// formatOf returns the format of a text's markers: the labels and the style of its first one. style is git's
// configuration, which tells the two styles with a base apart, and counts in a text without a marker.
func formatOf(text []byte, style marker.Style) marker.Format {
	f := marker.Format{Style: style, Labels: withDefaults([3]string{})}
	conflicts, _ := marker.Read(text, 7)
	if len(conflicts) == 0 {
		return f
	}
	f.Labels = withDefaults(conflicts[0].Labels)
	switch base := conflicts[0].ShowsBase; {
	case !base:
		f.Style = marker.Merge
	case style == marker.Merge:
		f.Style = marker.Diff3
	}
	return f
}

// unsolvable says why a file has conflicts that no merge of texts solves; "" if it has none of these.
func (u unmerged) unsolvable() string {
	if u.modes[2] == "" || u.modes[3] == "" {
		return "one side deleted it: left as it is"
	}
	for _, mode := range u.modes {
		if mode != "" && !strings.HasPrefix(mode, "100") || mode != "" && mode != u.modes[2] && mode != u.modes[3] {
			return "it is a link, or its mode is in conflict: left as it is"
		}
	}
	return ""
}

// solveMarkers merges a file that has conflict markers and returns its status.
func (g Git) solveMarkers(ctx context.Context, u unmerged, e editedFile, w workFile) (status string, conflicts bool, err error) {
	m, err := g.Merge(ctx, e.v, e.f)
	if err != nil {
		return "", false, err
	}
	if m.Reason != "" {
		return m.Reason + ": left as it is", true, nil
	}
	if equalExceptLabels(e.f.Parse(e.current), e.f.Parse(m.Text)) && m.Conflicts > 0 {
		return conflictsLeft(m.Conflicts), true, nil
	}
	original, unedited, err := g.findOriginal(ctx, u, e.v, e.f, e.current)
	if err != nil {
		return "", false, err
	}
	if !unedited {
		e.original, e.merged = original, m.Text
		return g.solveEdited(ctx, u, e, w)
	}
	return g.writeMerged(ctx, u, m, w)
}

// writeMerged writes a merged file, adds it to git's index if it has no conflict, and returns its status.
func (g Git) writeMerged(ctx context.Context, u unmerged, m Merged, w workFile) (status string, conflicts bool, err error) {
	if err := w.write(m.Text); err != nil {
		return "", false, err
	}
	if m.Fault != "" {
		status = m.explainFault() + ": "
	}
	if m.Conflicts > 0 {
		return status + conflictsLeft(m.Conflicts), true, nil
	}
	_, err = g.output(ctx, "add", "--", u.path)
	return status + "merged", false, err
}

// Unmerged lists the files with stages in the index, below paths if there are any, by their paths below the
// directory of g.
func (g Git) Unmerged(ctx context.Context, paths []string) (names []string, err error) {
	files, err := g.unmerged(ctx, paths)
	for _, u := range files {
		names = append(names, u.path)
	}
	return names, err
}

// Whole lists the unmerged files that are in conflict as a whole: one side deleted the file, or it is a link, a binary, or
// its mode is in conflict. Their paths are those below the directory of g.
func (g Git) Whole(ctx context.Context) (names []string, err error) {
	files, err := g.unmerged(ctx, nil)
	for _, u := range files {
		isWhole := u.unsolvable() != ""
		if !isWhole {
			text, err := file.ReadRegular(filepath.Join(g.Dir, filepath.FromSlash(u.path)))
			isWhole = err == nil && isBinary(text)
		}
		if isWhole {
			names = append(names, u.path)
		}
	}
	return names, err
}

// ErrNoFile says that a side of an unmerged file has a link or a submodule under its name.
var ErrNoFile = errors.New("a side has a link or a submodule")

// Stages returns the versions of an unmerged file, and the sides that have it.
func (g Git) Stages(ctx context.Context, name string) (v Versions, has [3]bool, err error) {
	all, err := g.unmerged(ctx, nil)
	if err != nil {
		return v, has, err
	}
	for _, u := range all {
		if u.path != name {
			continue
		}
		for side, stage := range [3]int{marker.Ours: 2, marker.Base: 1, marker.Theirs: 3} {
			if has[side] = u.modes[stage] != ""; has[side] && !strings.HasPrefix(u.modes[stage], "100") {
				return v, has, fmt.Errorf("%s: %w", name, ErrNoFile)
			}
		}
		v, err = g.stages(ctx, u)
		return v, has, err
	}
	return v, has, fmt.Errorf("%s: it is not unmerged", name)
}

// unmerged is a file with stages in the index: 1 is the base, 2 ours, 3 theirs.
type unmerged struct {
	path       string
	modes, ids [4]string
}

// unmerged lists the files with stages in the index by name.
func (g Git) unmerged(ctx context.Context, paths []string) (files []unmerged, err error) {
	out, err := g.output(ctx, append([]string{"ls-files", "--unmerged", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, name, found := strings.Cut(line, "\t")
		fields := strings.Fields(info)
		if !found || len(fields) != 3 {
			continue
		}
		if len(files) == 0 || files[len(files)-1].path != name {
			files = append(files, unmerged{path: name})
		}
		if stage, err := strconv.Atoi(fields[2]); err == nil && stage > 0 && stage < 4 {
			files[len(files)-1].modes[stage] = fields[0]
			files[len(files)-1].ids[stage] = fields[1]
		}
	}
	return files, nil
}

// stages returns the versions of an unmerged file, as git checks them out.
func (g Git) stages(ctx context.Context, u unmerged) (v Versions, err error) {
	v = Versions{Path: u.path, NoBase: u.modes[1] == ""}
	for side, stage := range [3]int{marker.Ours: 2, marker.Base: 1, marker.Theirs: 3} {
		if u.modes[stage] == "" {
			continue
		}
		if v.Texts[side], err = g.output(ctx, "cat-file", "--filters", fmt.Sprintf(":%d:./%s", stage, u.path)); err != nil {
			return v, err
		}
	}
	return v, nil
}

// workFile is an unmerged file in the work tree.
type workFile struct {
	// top is the top of the work tree, and below the file's path there.
	top, below string
	// info described the file before it was read.
	info fs.FileInfo
}

// write replaces the file, if it is as it was read.
func (w workFile) write(text []byte) error {
	return sink.ReplaceFile(w.top, pkgmerge.File{Name: w.below, Mode: w.info.Mode(), Data: text}, w.info)
}

func conflictsLeft(count int) string {
	return wording.Plural(count, "conflict") + " left, marked in the file"
}

// Settled is an unmerged file as the merge left it, with the conflicts settled in it since.
type Settled struct {
	// Path is the file's path below the directory of git.
	Path string
	// Text is the file with the markers that git or the driver left.
	Text []byte
	// Lines are the lines that replaced settled conflicts, by the index of the conflict.
	Lines map[int][]byte
}

// Settled finds the conflicts that somebody has settled since the merge (rules/git: solve): in the
// unmerged files below the paths that differ in nothing else from the text that git or the driver left.
func (g Git) Settled(ctx context.Context, paths []string) (out []Settled, err error) {
	files, err := g.unmerged(ctx, paths)
	if err != nil {
		return nil, err
	}
	for _, u := range files {
		if u.modes[2] == "" || u.modes[3] == "" || !isYAML(u.path) {
			continue
		}
		s, err := g.settled(ctx, u)
		if err != nil {
			return nil, err
		}
		if len(s.Lines) > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// settled finds the settled conflicts of an unmerged file. One that was removed, and a binary, have none.
func (g Git) settled(ctx context.Context, u unmerged) (s Settled, err error) {
	current, err := file.ReadRegular(filepath.Join(g.Dir, filepath.FromSlash(u.path)))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	v, err := g.configured(ctx, u)
	if err != nil || slices.ContainsFunc(v.Texts[:], isBinary) {
		return s, err
	}
	f := marker.Format{Labels: withDefaults([3]string{})}
	for _, f.Style = range possibleStyles(f, current) {
		texts, err := g.leftTexts(ctx, u, v, f)
		if err != nil {
			return s, err
		}
		for _, text := range texts {
			original := f.Parse(text)
			if found := replacements(original, f.Parse(current)); found != nil && original.Conflict() {
				return Settled{Path: u.path, Text: text, Lines: byConflict(original, found)}, nil
			}
		}
	}
	return s, nil
}

// leftTexts returns the texts that the driver or git may have left for an unmerged file.
func (g Git) leftTexts(ctx context.Context, u unmerged, v Versions, f marker.Format) ([][]byte, error) {
	texts, err := g.originalTexts(ctx, u, v, f)
	if err != nil {
		return nil, err
	}
	if m, err := g.Merge(ctx, v, f); err == nil {
		texts = append([][]byte{m.Text}, texts...)
	}
	return texts, nil
}

// byConflict returns the lines that replaced pieces of a text, by the index of the conflict instead of the piece.
func byConflict(original marker.Pieces, found map[int][]byte) map[int][]byte {
	out, n := map[int][]byte{}, 0
	for i, p := range original {
		if lines, is := found[i]; is {
			out[n] = lines
		}
		if p.Conflict {
			n++
		}
	}
	return out
}

// configured returns the versions of an unmerged file with the settings that apply to it.
func (g Git) configured(ctx context.Context, u unmerged) (v Versions, err error) {
	v, err = g.stages(ctx, u)
	v.Settings, v.unconfigured = g.settings(u.path)
	if v.Settings.TakesSide() && g.poppedStash(ctx, u) {
		v.Settings = v.Settings.WithLocalAsTheirs()
	}
	return v, err
}

// poppedStash reports whether theirs is the last stash's version, and git is in no merge, as after git stash pop.
func (g Git) poppedStash(ctx context.Context, u unmerged) bool {
	for _, head := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := g.output(ctx, "rev-parse", "--verify", "--quiet", head); err == nil {
			return false
		}
	}
	id, err := g.output(ctx, "rev-parse", "--verify", "--quiet", "stash:./"+u.path)
	return err == nil && strings.TrimSpace(string(id)) == u.ids[3]
}
