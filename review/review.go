package review

import (
	"fmt"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"slices"
	"strings"
)

// Find returns the bumps between two versions of a repository (rules/review: bumps), and notes about files that cannot be parsed.
func Find(old, now kustomize.Files) (bumps []*Bump, notes []string, err error) {
	names := changed(old, now)
	if bumps, notes, err = findReleases(old, now, names); err != nil {
		return nil, nil, err
	}
	umbrellas, err := findUmbrellas(old, now, names)
	if err != nil {
		return nil, nil, err
	}
	bases, more := findBases(old, now, names)
	sources, err := findSources(old, now, names)
	bumps = slices.Concat(bumps, umbrellas, bases, sources, findPackages(old, now, names))
	for _, b := range bumps {
		b.old, b.now = old, now
	}
	return bumps, append(notes, more...), err
}

// Upstream reads the versions of charts and bases.
type Upstream struct {
	Charts Charts
	Bases  kustomize.Bases
	// Render is nil if no chart is rendered: then the layers over its render are a note.
	Render Renderer
}

// Review judges the lines of the layers over a bump. Where a version cannot be had, the bump has a note, and no lines.
func (b *Bump) Review(from Upstream) {
	err := b.compare(from)
	for _, l := range b.Lines {
		if err == nil && l.Class != Needed && l.Class != Redundant {
			err = l.setTyped(b.old, b.now)
		}
	}
	if err == nil {
		return
	}
	if !strings.HasPrefix(err.Error(), b.Name+": ") {
		err = fmt.Errorf("%s: %w", b.Name, err)
	}
	b.Unjudged, b.Lines = err, nil
	b.Notes = append(b.Notes, "not judged: "+strings.TrimPrefix(err.Error(), b.Name+": "))
}

// setTyped corrects a line that the old version of its file lacks, or has with another value, since somebody typed it with the bump: nothing moved beneath it, and it is
// news if it does nothing.
func (l *Line) setTyped(old, now kustomize.Files) error {
	if !old.Has(l.File) || old.IDs[l.File] == now.IDs[l.File] {
		return nil
	}
	before, err := old.Read(l.File)
	if err != nil {
		return err
	}
	after, err := now.Read(l.File)
	if err != nil {
		return err
	}
	was, lines := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	if l.Number < 1 || l.Number > len(lines) {
		return nil
	}
	indent := func(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }
	value, first := lines[l.Number-1:], lines[l.Number-1]
	if end := slices.IndexFunc(value[1:], func(text string) bool { return indent(text) <= indent(first) }); end >= 0 {
		value = value[:end+1]
	}
	if !slices.ContainsFunc(value, func(text string) bool { return !slices.Contains(was, text) }) {
		return nil
	}
	if l.Was = Needed; l.Class == MovedBeneath {
		l.Class = Needed
	}
	return nil
}
