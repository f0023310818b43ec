package gitdiff

import (
	"bytes"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// changesOf are the files that differ, sorted by name.
func changesOf(before, after []pkgmerge.File) []change {
	was := map[string]*pkgmerge.File{}
	for i, f := range before {
		was[f.Name] = &before[i]
	}
	var changes []change
	var gone, new []*pkgmerge.File
	for i, f := range after {
		old := was[f.Name]
		delete(was, f.Name)
		switch {
		case old == nil:
			new = append(new, &after[i])
		case mode(*old) != mode(f) || !bytes.Equal(old.Data, f.Data):
			changes = append(changes, change{from: old, to: &after[i]})
		}
	}
	for i, f := range before {
		if was[f.Name] != nil {
			gone = append(gone, &before[i])
		}
	}
	changes = append(changes, renamed(gone, new)...)
	slices.SortStableFunc(changes, func(a, b change) int { return strings.Compare(a.newest().Name, b.newest().Name) })
	return changes
}
