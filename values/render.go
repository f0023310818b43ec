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
	// stable are the lines of the templates that render the same each time, and random those of the others.
	stable, random map[string]int
	// varied are the names of the templates that render something else each time, such as generated passwords.
	varied map[string]bool
	// differing is the number of lines that differ each time.
	differing int
}

// twice renders a chart with the user's files, and finds templates that differ each time.
func (p *proof) twice(c *Chart) (*rendered, error) {
	first, err := p.templates(c, p.user)
	if err != nil {
		return nil, err
	}
	second, err := p.templates(c, p.user)
	if err != nil {
		return nil, err
	}
	r := &rendered{chart: c, varied: map[string]bool{}}
	for name := range first {
		r.varied[name] = !maps.Equal(first[name], second[name])
	}
	r.stable, r.random = r.lines(first)
	_, again := r.lines(second)
	r.differing = total(more(r.random, again))
	return r, nil
}

// lines returns the lines of the templates that render the same each time, and those of the others.
func (r *rendered) lines(templates map[string]map[string]int) (stable, random map[string]int) {
	stable, random = map[string]int{}, map[string]int{}
	for name, lines := range templates {
		to := stable
		if r.varied[name] {
			to = random
		}
		for line, n := range lines {
			to[line] += n
		}
	}
	return stable, random
}

// templates returns how often the render of each template has each line. The chart's version, which labels of resources have, is
// left out of the lines, so that two charts' lines compare.
func (p *proof) templates(c *Chart, files []pkgmerge.File) (map[string]map[string]int, error) {
	text, err := p.render(p.ctx, c, files)
	if err != nil {
		return nil, fmt.Errorf("render %s %s: %w", c.Name, c.Version, err)
	}
	name, templates := "", map[string]map[string]int{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if source, is := strings.CutPrefix(line, "# Source: "); is {
			name = source
		}
		if c.Version != "" {
			line = strings.ReplaceAll(line, c.Name+"-"+c.Version, c.Name)
		}
		if templates[name] == nil {
			templates[name] = map[string]int{}
		}
		if line != "---" {
			templates[name][line]++
		}
	}
	return templates, nil
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

// same reports whether a chart renders the same without some lines: but for as many lines as differ each time.
func (p *proof) same(was *rendered, without []*Finding) (bool, error) {
	stable, random, err := p.edited(was, func(f *Finding) bool { return f.Class != Renamed && slices.Contains(without, f) })
	isSame := maps.Equal(stable, was.stable) && total(more(random, was.random)) == was.differing && total(more(was.random, random)) == was.differing
	return isSame, err
}

// edited returns the lines of a chart's render after some of the edits.
func (p *proof) edited(was *rendered, edited func(*Finding) bool) (stable, random map[string]int, err error) {
	files, err := p.result.Edits(true, func(f *Finding) bool { return !edited(f) })
	if err != nil {
		return nil, nil, err
	}
	is, err := p.templates(was.chart, files)
	if err != nil {
		return nil, nil, err
	}
	stable, random = was.lines(is)
	return stable, random, nil
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

// move proves that a line that moved has the effect in the new chart that it had in the old one. Where both render something else each
// time, an effect on the other templates is needed.
func (p *proof) move(f *Finding) error {
	moves := func(o *Finding) bool { return o == f }
	old, _, err := p.edited(p.old, moves)
	if err != nil {
		return err
	}
	now, _, err := p.edited(p.now, moves)
	if err != nil {
		return err
	}
	gone, back := more(old, p.old.stable), more(p.old.stable, old)
	plus, minus := more(now, p.now.stable), more(p.now.stable, now)
	switch {
	case !maps.Equal(gone, minus) || !maps.Equal(back, plus):
		p.kept[f], f.Note = true, "the proof took the move back, since it changes other lines of the new chart's render than the key did in the old one's; see whether it is right, and move the line"
	case p.old.differing+p.now.differing > 0 && len(plus)+len(minus) == 0:
		p.kept[f], f.Note = true, "the proof took the move back, since it changes only what the chart renders anew each time; see whether it is right, and move the line"
	}
	return nil
}

// Helm returns a renderer that runs the helm in PATH. The chart is rendered in a new directory.
func Helm() (Renderer, error) { return HelmAs("release", "") }

// HelmAs is Helm for a release with a name, in a namespace unless that is "".
func HelmAs(name, namespace string) (Renderer, error) {
	helm, err := exec.LookPath("helm")
	if err != nil {
		return nil, errors.New("there is no helm in PATH; install it (https://helm.sh), or leave out the proof")
	}
	if strings.HasPrefix(name, "-") {
		return nil, fmt.Errorf("%q is no name of a release", name)
	}
	return func(ctx context.Context, c *Chart, files []pkgmerge.File) ([]byte, error) {
		dir, err := os.MkdirTemp("", "resource-merge-values-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		args, err := writeInput(dir, name, c, files)
		if err != nil {
			return nil, err
		}
		if namespace != "" {
			args = append(args, "--namespace="+namespace)
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
func writeInput(dir, name string, c *Chart, files []pkgmerge.File) ([]string, error) {
	chart := filepath.Join(dir, "chart")
	args := []string{"template", name, chart}
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
