package gitdriver

import (
	"context"
	"os"
	"path/filepath"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// Settled is an unmerged file as the merge left it, with what has been settled in it since.
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

func (g Git) settled(ctx context.Context, u unmerged) (s Settled, err error) {
	current, err := os.ReadFile(filepath.Join(g.Dir, filepath.FromSlash(u.path)))
	if err != nil {
		return s, err
	}
	v, err := g.stages(ctx, u)
	if err != nil {
		return s, err
	}
	if v.Settings, err = g.settings(u.path); err != nil {
		return s, err
	}
	f := marker.Format{Labels: withDefaults([3]string{})}
	for _, f.Style = range possibleStyles(f, current) {
		texts, err := g.originalTexts(ctx, u, v, f)
		if err != nil {
			return s, err
		}
		if m, err := g.Merge(ctx, v, f); err == nil {
			texts = append([][]byte{m.Text}, texts...)
		}
		for _, text := range texts {
			original := f.Parse(text)
			if found := replacements(original, f.Parse(current)); found != nil && original.Conflict() {
				s = Settled{Path: u.path, Text: text, Lines: map[int][]byte{}}
				n := 0
				for i, p := range original {
					if lines, is := found[i]; is {
						s.Lines[n] = lines
					}
					if p.Conflict {
						n++
					}
				}
				return s, nil
			}
		}
	}
	return s, nil
}
