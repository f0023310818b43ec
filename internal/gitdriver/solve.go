package gitdriver

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/marker"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Solve merges what the index has as unmerged, with or without the driver having been
// there: below the paths, or all that is YAML by its name. What merges without a
// conflict is added to the index. It returns 0 if nothing is left in conflict
// of that, else 1.
func (g Git) Solve(ctx context.Context, paths []string, stdout, stderr io.Writer) int {
	left, err := g.solve(ctx, paths, stdout)
	if err != nil {
		wording.Say(stderr, "resource-merge: %v", err)
	}
	if err != nil || left > 0 {
		return exitConflict
	}
	return exitMerged
}

func (g Git) solve(ctx context.Context, paths []string, stdout io.Writer) (left int, err error) {
	files, err := g.unmerged(ctx, paths)
	if err != nil {
		return 0, err
	}
	style, err := g.style(ctx)
	if err != nil {
		return 0, err
	}
	for _, u := range files {
		if len(paths) == 0 && !isYAML(u.path) {
			continue
		}
		said, conflicts, err := g.solveFile(ctx, u, style)
		if err != nil {
			return left, fmt.Errorf("%s: %w", u.path, err)
		}
		if conflicts {
			left++
		}
		wording.Say(stdout, "%s: %s", u.path, said)
	}
	return left, nil
}

func isYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml" || path.Base(name) == "Kptfile" || path.Base(name) == "Kustomization"
}

// solveFile merges one file, and says what came of it. A file that is as git left it is
// written; of one that somebody has edited since, only markers that are still git's are.
func (g Git) solveFile(ctx context.Context, u unmerged, style marker.Style) (said string, conflicts bool, err error) {
	if u.modes[2] == "" || u.modes[3] == "" {
		return "one side deleted it: left as it is", true, nil
	}
	for _, mode := range u.modes {
		if mode != "" && !strings.HasPrefix(mode, "100") || mode != "" && mode != u.modes[2] && mode != u.modes[3] {
			return "it is a link, or its mode is in conflict: left as it is", true, nil
		}
	}
	v, err := g.stages(ctx, u)
	if err != nil {
		return "", false, err
	}
	f := marker.Format{Style: style, Labels: labels([3]string{})}
	name := filepath.Join(g.Dir, filepath.FromSlash(u.path))
	was, err := os.ReadFile(name)
	if err != nil {
		return "", false, err
	}
	if !f.HasMarker(was) {
		return "it has no conflict markers any more: left as it is, to be added", true, nil
	}
	m, err := g.Merge(ctx, v, f)
	if err != nil {
		return "", false, err
	}
	if m.Reason != "" {
		return m.Reason + ": left as it is", true, nil
	}
	if sameButLabels(f.Parse(was), f.Parse(m.Text)) && m.Conflicts > 0 {
		return fmt.Sprintf("%d left in conflict, as markers", m.Conflicts), true, nil
	}
	left, unedited, err := g.leftByGit(ctx, u, v, f, was)
	if err != nil {
		return "", false, err
	}
	if !unedited {
		return g.solveEdited(ctx, u, edited{v: v, f: f, was: was, left: left, merged: m.Text}, name)
	}
	if err := writeFile(name, m.Text); err != nil {
		return "", false, err
	}
	if m.Wrong != "" {
		said = m.instead() + ": "
	}
	if m.Conflicts > 0 {
		return said + fmt.Sprintf("%d left in conflict, as markers", m.Conflicts), true, nil
	}
	_, err = g.output(ctx, "add", "--", u.path)
	return said + "merged", false, err
}
