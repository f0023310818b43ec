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
	return slices.Concat(bumps, umbrellas, bases, sources, findPackages(old, now, names)), append(notes, more...), err
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
	if err == nil {
		return
	}
	if !strings.HasPrefix(err.Error(), b.Name+": ") {
		err = fmt.Errorf("%s: %w", b.Name, err)
	}
	b.Unjudged, b.Lines = err, nil
	b.Notes = append(b.Notes, "not judged: "+strings.TrimPrefix(err.Error(), b.Name+": "))
}
