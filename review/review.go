package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Find returns the bumps between two versions of a repository (rules/review: bumps), and notes about files that cannot be parsed.
func Find(old, now Files) (bumps []*Bump, notes []string, err error) {
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
	Bases  Bases
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

// documents returns the documents of a text that is YAML, up to the first fault.
func documents(data []byte) (all []*yamlnodes.Node) {
	all, _ = parseText(data) // what cannot be parsed is not there
	return all
}

// parseText returns the documents of a text that are not empty.
func parseText(data []byte) (all []*yamlnodes.Node, err error) {
	decoder := yamlnodes.NewDecoder(bytes.NewReader(data))
	for {
		var document yamlnodes.Node
		switch err := yamlnode.Decode(decoder, &document); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, err
		}
		if len(document.Content) > 0 && !yamlnode.IsNull(document.Content[0]) {
			all = append(all, document.Content[0])
		}
	}
}
