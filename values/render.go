package values

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// A Renderer renders a chart with values files. A later file overrides an earlier one.
type Renderer func(ctx context.Context, c *Chart, files []pkgmerge.File) ([]byte, error)

// Prove renders both charts and takes back each edit that changes other lines of the result (rules/values: proof): the
// line stays, and its finding has a note. It is an error if the charts cannot be rendered with the user's files.
func (r *Result) Prove(ctx context.Context, prune bool, render Renderer) (kept map[*Finding]bool, err error) {
	if r.Origin.isFile || r.Upstream.isFile {
		return nil, fmt.Errorf("a plain values file cannot be rendered: give charts")
	}
	for _, f := range r.Findings {
		if f.Class == Renamed && f.line != nil && f.line.split != nil {
			return nil, fmt.Errorf("%s:%d: the new chart has a map at %s and cannot be rendered with one value; write the edits first, and prove them then", f.File, f.Line, PathText(f.Path))
		}
	}
	p := &proof{ctx: ctx, result: r, prune: prune, render: render, kept: map[*Finding]bool{}}
	for _, f := range r.files {
		p.user = append(p.user, pkgmerge.File{Name: f.name, Data: f.data})
	}
	if p.old, err = p.twice(r.Origin); err != nil {
		return nil, err
	}
	if p.now, err = p.twice(r.Upstream); err != nil {
		return nil, err
	}
	return p.kept, p.run()
}

// proof is the work of Prove.
type proof struct {
	ctx      context.Context
	result   *Result
	prune    bool
	render   Renderer
	user     []pkgmerge.File
	old, now *rendered
	kept     map[*Finding]bool
}

// rendered is a chart as it renders with the user's files: how often it has each line.
type rendered struct {
	chart *Chart
	lines map[string]int
	// random is the number of lines that differ each time, such as generated passwords.
	random int
}

// twice renders a chart with the user's files, and finds lines that differ each time, such as passwords.
func (p *proof) twice(c *Chart) (*rendered, error) {
	first, err := p.lines(c, p.user)
	if err != nil {
		return nil, err
	}
	second, err := p.lines(c, p.user)
	return &rendered{c, first, total(more(first, second))}, err
}

// lines returns how often a render has each line. The chart's version, which labels of resources have, is left out of the
// lines, so that two charts' lines compare.
func (p *proof) lines(c *Chart, files []pkgmerge.File) (map[string]int, error) {
	text, err := p.render(p.ctx, c, files)
	if err != nil {
		return nil, fmt.Errorf("render %s %s: %w", c.Name, c.Version, err)
	}
	lines := map[string]int{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if c.Version != "" {
			line = strings.ReplaceAll(line, c.Name+"-"+c.Version, c.Name)
		}
		lines[line]++
	}
	return lines, nil
}

// run proves the removed lines together, and one by one where they change something, and each moved line on its own.
func (p *proof) run() error {
	var removed, moved []*Finding
	for _, f := range p.result.Findings {
		switch {
		case f.line == nil || f.line.fixed:
		case f.Class == Renamed:
			moved = append(moved, f)
		case p.prune && f.isPruned():
			removed = append(removed, f)
		}
	}
	if err := p.removals(removed); err != nil {
		return err
	}
	for _, f := range moved {
		if err := p.move(f); err != nil {
			return err
		}
	}
	return nil
}

// removals proves that the new chart renders the same without some lines.
func (p *proof) removals(removed []*Finding) error {
	same, err := p.same(p.now, removed)
	if err != nil || same {
		return err
	}
	if len(removed) > 1 {
		half := len(removed) / 2
		if err := p.removals(removed[:half]); err != nil {
			return err
		}
		if err := p.removals(removed[half:]); err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(removed), func(f *Finding) bool { return p.kept[f] })
		if same, err = p.same(p.now, left); err != nil || same {
			return err
		}
		removed = left // each alone changes nothing, but together they do
	}
	for _, f := range removed {
		p.kept[f], f.Note = true, "without it the new chart renders differently, so it stays"
	}
	return nil
}

// same reports whether a chart renders the same without some lines.
func (p *proof) same(was *rendered, without []*Finding) (bool, error) {
	plus, minus, err := p.effect(was, func(f *Finding) bool { return f.Class != Renamed && slices.Contains(without, f) })
	return total(plus) == was.random && total(minus) == was.random, err
}

// effect returns the lines that a chart's render has more and less after some of the edits.
func (p *proof) effect(was *rendered, edited func(*Finding) bool) (plus, minus map[string]int, err error) {
	files, err := p.result.Edits(true, func(f *Finding) bool { return !edited(f) })
	if err != nil {
		return nil, nil, err
	}
	is, err := p.lines(was.chart, files)
	if err != nil {
		return nil, nil, err
	}
	return more(is, was.lines), more(was.lines, is), nil
}

// more returns the lines of a that b has less often, without indentation.
func more(a, b map[string]int) map[string]int {
	out := map[string]int{}
	for line, n := range a {
		if n > b[line] {
			out[strings.TrimSpace(line)] += n - b[line]
		}
	}
	return out
}

func total(lines map[string]int) (n int) {
	for _, count := range lines {
		n += count
	}
	return n
}

// move proves that a line that moved has the effect in the new chart that it had in the old one.
func (p *proof) move(f *Finding) error {
	if p.old.random+p.now.random > 0 {
		f.Note = "not proven: the charts render something else each time"
		return nil
	}
	moves := func(o *Finding) bool { return o == f }
	gone, back, err := p.effect(p.old, moves)
	if err != nil {
		return err
	}
	plus, minus, err := p.effect(p.now, moves)
	if err != nil {
		return err
	}
	if !maps.Equal(gone, minus) || !maps.Equal(back, plus) {
		p.kept[f], f.Note = true, "the proof took the move back, since it changes other lines of the new chart's render than the key did in the old one's; see whether it is right, and move the line"
	}
	return nil
}

// Helm returns a renderer that runs the helm in PATH. The chart is rendered in a new directory.
func Helm() (Renderer, error) {
	helm, err := exec.LookPath("helm")
	if err != nil {
		return nil, errors.New("there is no helm in PATH; install it (https://helm.sh), or leave out the proof")
	}
	return func(ctx context.Context, c *Chart, files []pkgmerge.File) ([]byte, error) {
		dir, err := os.MkdirTemp("", "resource-merge-values-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		args, err := writeInput(dir, c, files)
		if err != nil {
			return nil, err
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, helm, args...) // #nosec G204 -- the user's own helm
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("helm template: %w: %s", err, strings.TrimSpace(stderr.String()))
		}
		return stdout.Bytes(), nil
	}, nil
}

// writeInput writes a chart and values files into a directory, and returns the arguments with which helm renders them.
func writeInput(dir string, c *Chart, files []pkgmerge.File) ([]string, error) {
	chart := filepath.Join(dir, "chart")
	args := []string{"template", "release", chart}
	for _, f := range c.files {
		name := filepath.Join(chart, filepath.FromSlash(f.Name))
		if err := writeFile(name, f.Data); err != nil {
			return nil, err
		}
	}
	for i, f := range files {
		name := filepath.Join(dir, fmt.Sprintf("values-%d.yaml", i))
		if err := writeFile(name, f.Data); err != nil {
			return nil, err
		}
		args = append(args, "-f", name)
	}
	return args, nil
}

// writeFile writes a file and the directories that it is in.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
